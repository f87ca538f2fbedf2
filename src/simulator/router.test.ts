import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Router, type RoutedPrompt } from './router.ts';

const UNIQUE: RoutedPrompt = { blockIds: [], blocks: 10 };

function beginning(...blockIds: readonly string[]): RoutedPrompt {
  return { blockIds, blocks: 10 };
}

test('round robin gives each replica its turn', () => {
  const router = new Router('roundRobin', 3);
  const chosen = Array.from({ length: 7 }, () => router.choose([9, 0, 0], beginning('a')));
  expect(chosen).toEqual([0, 1, 2, 0, 1, 2, 0]);
});

test('least outstanding: the least busy, and of equals the one that was given the least', () => {
  const router = new Router('leastOutstanding', 3);
  expect(router.choose([2, 1, 3], UNIQUE)).toBe(1);
  expect(router.choose([0, 0, 0], UNIQUE)).toBe(0);
  expect(router.choose([0, 0, 0], UNIQUE)).toBe(2);
  fc.assert(
    fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 6 }), (outstanding) => {
      const chosen = new Router('leastOutstanding', outstanding.length).choose(outstanding, UNIQUE);
      expect(outstanding[chosen]).toBe(Math.min(...outstanding));
    }),
  );
});

test('prefix affine: where the longest beginning went before', () => {
  const router = new Router('prefixAffine', 3);
  expect(router.choose([1, 0, 1], beginning('a', 'b', 'c', 'd'))).toBe(1);
  expect(router.choose([0, 9, 1], beginning('a', 'b', 'c', 'd'))).toBe(1);
  expect(router.choose([0, 9, 9], beginning('a', 'x', 'y', 'z'))).toBe(0);
  expect(router.choose([9, 9, 0], beginning('a', 'x', 'y', 'z', 'more'))).toBe(0);
});

test('prefix affine: the least busy when too little was there, or the load is lopsided', () => {
  const router = new Router('prefixAffine', 2);
  const prompt = beginning('a', 'b', 'c', 'd');
  expect(router.choose([0, 1], prompt)).toBe(0);
  // Three of ten blocks are not more than 0.3.
  expect(router.choose([1, 0], beginning('a', 'b', 'c', 'x'))).toBe(1);
  expect(router.choose([64, 0], prompt)).toBe(0);
  expect(router.choose([65, 0], prompt)).toBe(1);
  // Both have it now; a large load may differ by more.
  expect(new Set([router.choose([300, 201], prompt), router.choose([201, 300], prompt)])).toEqual(
    new Set([0]),
  );
});
