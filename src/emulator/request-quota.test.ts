import { expect, test } from 'vitest';
import { NS_PER_SECOND } from '../base/index.ts';
import { RequestQuota } from './request-quota.ts';

test('one second of requests may come at once, then at the limit', () => {
  const quota = new RequestQuota({ requests: 2, per: 'second' });
  const start = 1_000 * NS_PER_SECOND;
  expect([0, 1, 2].map(() => quota.take(start))).toEqual([null, null, 1]);
  expect(quota.take(start + 0.4 * NS_PER_SECOND)).toBe(1);
  expect(quota.take(start + 0.5 * NS_PER_SECOND)).toBeNull();
});

test('a limit below one per second says how long to wait', () => {
  const quota = new RequestQuota({ requests: 0.1, per: 'second' });
  const start = 1_000 * NS_PER_SECOND;
  expect(quota.take(start)).toBeNull();
  expect(quota.take(start + NS_PER_SECOND)).toBe(9);
});

test('a limit a minute is told as OpenAI tells it: the limit, what is left, when all is back', () => {
  const quota = new RequestQuota({ requests: 60, per: 'minute' });
  const start = 1_000 * NS_PER_SECOND;
  expect(quota.take(start)).toBeNull();
  expect(quota.headers()).toEqual({
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '59',
    'x-ratelimit-reset-requests': '1s',
  });
  for (let taken = 1; taken < 60; taken += 1) expect(quota.take(start)).toBeNull();
  expect(quota.take(start)).toBe(1);
  expect(quota.headers()).toMatchObject({
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': '60s',
  });
});

test('nobody tells a limit a second', () => {
  expect(new RequestQuota({ requests: 2, per: 'second' }).headers()).toEqual({});
});
