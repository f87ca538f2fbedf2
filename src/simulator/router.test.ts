import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Router } from './router.ts';

test('round robin gives each replica its turn', () => {
  const router = new Router('roundRobin', 3);
  const chosen = Array.from({ length: 7 }, () => router.choose([9, 0, 0], 'same'));
  expect(chosen).toEqual([0, 1, 2, 0, 1, 2, 0]);
});

test('least outstanding: the least busy, and of equals the one that was given the least', () => {
  const router = new Router('leastOutstanding', 3);
  expect(router.choose([2, 1, 3], null)).toBe(1);
  expect(router.choose([0, 0, 0], null)).toBe(0);
  expect(router.choose([0, 0, 0], null)).toBe(2);
  fc.assert(
    fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 6 }), (outstanding) => {
      const chosen = new Router('leastOutstanding', outstanding.length).choose(outstanding, null);
      expect(outstanding[chosen]).toBe(Math.min(...outstanding));
    }),
  );
});

test('prefix affine: equal beginnings stay together, others go to the least busy', () => {
  const router = new Router('prefixAffine', 2);
  expect(router.choose([1, 0], 'a')).toBe(1);
  expect(router.choose([0, 9], 'a')).toBe(1);
  expect(router.choose([0, 9], 'b')).toBe(0);
  expect(router.choose([9, 0], 'b')).toBe(0);
  expect(router.choose([9, 0], null)).toBe(1);
});
