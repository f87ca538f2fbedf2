import { describe, expect, it } from 'vitest';
import type { TimeBatch } from '../stats/index.ts';
import { standInDesignEffect, uncertaintyOf } from './window-uncertainty.ts';

const OFFERED = 30;

/** Slices of {@link OFFERED} requests, `badOf` of each missed. */
function slices(count: number, badOf: (at: number) => number): TimeBatch[] {
  return Array.from({ length: count }, (_, at) => ({
    good: OFFERED - badOf(at),
    offered: OFFERED,
  }));
}

describe('the interval of a stretch', () => {
  it('rests on ten batches at least, and on 32 at most', () => {
    const countOf = (count: number): number | undefined =>
      uncertaintyOf(
        slices(count, (at) => at % 3),
        1,
      ).dependence?.batchCount;
    expect([9, 10, 32, 33, 1_000].map(countOf)).toEqual([undefined, 10, 32, 17, 32]);
  });

  it('sees what links requests over more than a slice', () => {
    // Ten bad slices in a row, then ninety good ones: all of a run of ten is one thing that happened.
    const { dependence } = uncertaintyOf(
      slices(1_000, (at) => (at % 100 < 10 ? OFFERED : 0)),
      1,
    );
    // Were slices independent of each other, their 30 requests would be worth one.
    expect(dependence?.designEffect).toBeGreaterThan(2 * OFFERED);
  });
});

describe('what stands in where misses are few', () => {
  it('is all of a slice, where there are too few to show more', () => {
    expect(standInDesignEffect([slices(20, () => 0), slices(20, () => 0)])).toBe(OFFERED);
    expect(standInDesignEffect([])).toBe(1);
  });

  it('is how slices vary inside their windows, where there are enough', () => {
    // One miss in every slice, or two: less spread than of independent requests, never below 1.
    expect(standInDesignEffect([slices(20, () => 1), slices(20, () => 2)])).toBe(1);
    // Every fourth slice is lost as a whole, in both windows alike: 30 requests are worth one.
    const lost = slices(20, (at) => (at % 4 === 0 ? OFFERED : 0));
    const measured = standInDesignEffect([lost, lost, lost, lost]);
    // Batch means divide by n − 1.
    expect(measured).toBeCloseTo((OFFERED * 20) / 19, 6);
  });
});
