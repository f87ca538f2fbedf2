import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Outstanding, Router, type RoutedPrompt } from './router.ts';

const UNIQUE: RoutedPrompt = { blockIds: [], blocks: 10 };

/** Requests of replicas 0, 1, … that have not ended. */
function busy(...outstanding: readonly number[]): Outstanding {
  return new Map(outstanding.entries());
}

function beginning(...blockIds: readonly string[]): RoutedPrompt {
  return { blockIds, blocks: 10 };
}

test('round robin gives each replica its turn', () => {
  const router = new Router('roundRobin');
  const chosen = Array.from({ length: 7 }, () => router.choose(busy(9, 0, 0), beginning('a')));
  expect(chosen).toEqual([0, 1, 2, 0, 1, 2, 0]);
});

test('least outstanding: the least busy, and of equals the one that was given the least', () => {
  const router = new Router('leastOutstanding');
  expect(router.choose(busy(2, 1, 3), UNIQUE)).toBe(1);
  expect(router.choose(busy(0, 0, 0), UNIQUE)).toBe(0);
  expect(router.choose(busy(0, 0, 0), UNIQUE)).toBe(2);
  fc.assert(
    fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 6 }), (outstanding) => {
      const chosen = new Router('leastOutstanding').choose(busy(...outstanding), UNIQUE);
      expect(outstanding[chosen]).toBe(Math.min(...outstanding));
    }),
  );
});

test('prefix affine: where the longest beginning went before', () => {
  const router = new Router('prefixAffine');
  expect(router.choose(busy(1, 0, 1), beginning('a', 'b', 'c', 'd'))).toBe(1);
  expect(router.choose(busy(0, 9, 1), beginning('a', 'b', 'c', 'd'))).toBe(1);
  expect(router.choose(busy(0, 9, 9), beginning('a', 'x', 'y', 'z'))).toBe(0);
  expect(router.choose(busy(9, 9, 0), beginning('a', 'x', 'y', 'z', 'more'))).toBe(0);
});

test('prefix affine: the least busy when too little was there, or the load is lopsided', () => {
  const router = new Router('prefixAffine');
  const prompt = beginning('a', 'b', 'c', 'd');
  expect(router.choose(busy(0, 1), prompt)).toBe(0);
  // Three of ten blocks are not more than 0.3.
  expect(router.choose(busy(1, 0), beginning('a', 'b', 'c', 'x'))).toBe(1);
  expect(router.choose(busy(64, 0), prompt)).toBe(0);
  expect(router.choose(busy(65, 0), prompt)).toBe(1);
  // Both have it now; a large load may differ by more.
  expect(
    new Set([router.choose(busy(300, 201), prompt), router.choose(busy(201, 300), prompt)]),
  ).toEqual(new Set([0]));
});

test('round robin goes on where replicas come and go', () => {
  const router = new Router('roundRobin');
  const rounds = [
    [0, 1],
    [0, 1, 2],
    [0, 2],
    [2, 3],
    [2, 3],
  ];
  const chosen = rounds.map((replicas) =>
    router.choose(new Map(replicas.map((replica) => [replica, 0])), UNIQUE),
  );
  expect(chosen).toEqual([0, 1, 2, 3, 2]);
});

test('prefix affine: a replica that is gone has nothing any more', () => {
  const router = new Router('prefixAffine');
  const prompt = beginning('a', 'b', 'c', 'd');
  expect(router.choose(busy(0, 1), prompt)).toBe(0);
  router.forget(0);
  expect(router.choose(busy(3, 1), prompt)).toBe(1);
});
