import { expect, test } from 'vitest';
import { NS_PER_SECOND } from '../base/index.ts';
import { RequestQuota } from './request-quota.ts';

test('one second of requests may come at once, then at the limit', () => {
  const quota = new RequestQuota(2);
  const start = 1_000 * NS_PER_SECOND;
  expect([0, 1, 2].map(() => quota.take(start))).toEqual([null, null, 1]);
  expect(quota.take(start + 0.4 * NS_PER_SECOND)).toBe(1);
  expect(quota.take(start + 0.5 * NS_PER_SECOND)).toBeNull();
});

test('a limit below one per second says how long to wait', () => {
  const quota = new RequestQuota(0.1);
  const start = 1_000 * NS_PER_SECOND;
  expect(quota.take(start)).toBeNull();
  expect(quota.take(start + NS_PER_SECOND)).toBe(9);
});
