import { randomLcg } from 'd3-random';
import { describe, expect, it } from 'vitest';
import type { Inference } from './inference.ts';
import { rankedOf, type RankedNumbers } from './number-tally.ts';
import {
  isEnoughFor,
  type OrderedValues,
  pooledQuantileSummary,
  quantileOf,
  quantileSummary,
} from './quantile-summary.ts';

const OF = { window: 'wall', population: 'completed' } as const;

/** Values at equal steps of a window; `queueDesignEffect` 1: nothing links them. */
function inOrder(values: readonly number[], of: Partial<Inference> = {}): OrderedValues {
  const count = values.length;
  const plain = { queueDesignEffect: 1, growing: false, sessions: null };
  const inference = { fromNs: 0, toNs: count, count, ...plain, ...of };
  return { inference, values, batches: values.map((_, at) => Math.floor((32 * at) / count)) };
}

/** Numbers 0 … n − 1 in an order without drift. */
const scattered = (n: number): number[] =>
  Array.from({ length: n }, (_, index) => (index * 7_919) % n);

describe('a quantile summary', () => {
  it('names rule, population, n and coverage, and orders by value', () => {
    const summary = quantileSummary(inOrder([30, 10, 20]), { ...OF, populationCount: 4 });
    expect(summary).toMatchObject({
      rule: 'nearestRank',
      window: 'wall',
      population: 'completed',
      n: 3,
      coverage: 0.75,
      mean: 20,
      min: 10,
      max: 30,
    });
    expect(quantileOf(summary, 0.5)?.value).toBe(20);
  });

  it('shows a p99 of 20 values but lets nobody claim it', () => {
    const values = Array.from({ length: 20 }, (_, index) => index + 1);
    const p99 = quantileOf(quantileSummary(inOrder(values), { ...OF, populationCount: 20 }), 0.99);
    expect(p99).toMatchObject({ q: 0.99, value: 20, claimable: false, interval: null });
  });

  it('takes 59 values to be enough for p95, 299 for p99, 2,995 for p99.9', () => {
    const smallest = (q: number): number => {
      let n = 1;
      while (!isEnoughFor(q, n)) n += 1;
      return n;
    };
    expect([0.95, 0.99, 0.999].map(smallest)).toEqual([59, 299, 2_995]);
  });

  it('claims p95 of 700 values that nothing links, but neither p99 nor p99.9', () => {
    const summary = quantileSummary(inOrder(scattered(700)), { ...OF, populationCount: 700 });
    expect(summary.quantiles.filter(({ claimable }) => claimable).map(({ q }) => q)).toEqual([
      0.5, 0.9, 0.95,
    ]);
    const p95 = quantileOf(summary, 0.95);
    expect(p95?.interval?.method).toBe('order statistics at effective n, batch means');
    expect(p95?.interval?.low).toBeLessThan(p95?.value as number);
    expect(p95?.interval?.high).toBeGreaterThan(p95?.value as number);
  });

  it('rests on the effective n: clumps of equals are worth one value each', () => {
    const loose = quantileSummary(inOrder(scattered(6_400)), { ...OF, populationCount: 6_400 });
    const clumped = scattered(320).flatMap((value) => Array.from({ length: 20 }, () => 20 * value));
    const clumps = quantileSummary(inOrder(clumped), { ...OF, populationCount: 6_400 });
    const [wide, narrow] = [clumps, loose].map((summary) => quantileOf(summary, 0.5));
    expect(wide?.effectiveN).toBeLessThan(2_000);
    expect(narrow?.effectiveN).toBeGreaterThan(4_000);
    const width = (of: typeof wide): number =>
      (of?.interval?.high as number) - (of?.interval?.low as number);
    expect(width(wide)).toBeGreaterThan(1.5 * width(narrow));
  });

  it('has no interval while the backlog grows', () => {
    const values = inOrder(scattered(6_400), { growing: true });
    const summary = quantileSummary(values, { ...OF, populationCount: 6_400 });
    expect(
      summary.quantiles.every(({ interval, claimable }) => interval === null && !claimable),
    ).toBe(true);
  });

  /** 40 answers a slot, of 50 gaps each: `gapOf` an answer and a gap. */
  function pooledOf(gapOf: (answer: number, gap: number) => number, of: Partial<Inference> = {}) {
    const slotOf = (slot: number): RankedNumbers =>
      rankedOf(
        Float64Array.from({ length: 2_000 }, (_, at) =>
          gapOf(40 * slot + Math.floor(at / 50), at),
        ).sort(),
      );
    const slots = Array.from({ length: 32 }, (_, slot) => slotOf(slot));
    const values = Array.from({ length: 64_000 }, (_, at) =>
      gapOf(Math.floor(at / 50), at % 2_000),
    );
    return pooledQuantileSummary(
      { all: rankedOf(Float64Array.from(values).sort()), slots },
      {
        ...OF,
        populationCount: 1_600,
        contributorCount: 1_280,
        inference: inOrder(scattered(1_280), of).inference,
      },
    );
  }

  it('takes slots of time for the clusters of pooled gaps, and covers by request', () => {
    // Each answer has one gap, fifty times over: about as much as one value a request.
    const random = randomLcg(0.5);
    const gaps = Array.from({ length: 1_280 }, random);
    const summary = pooledOf((answer) => gaps[answer] as number);
    expect(summary).toMatchObject({ n: 64_000, coverage: 0.8 });
    const [median, , p95, p99] = summary.quantiles;
    expect(median?.effectiveN).toBeGreaterThan(500);
    expect(median?.effectiveN).toBeLessThan(3_000);
    expect(p95?.interval?.low).toBeLessThan(p95?.value as number);
    expect(p95?.interval?.high).toBeGreaterThan(p95?.value as number);
    // 1,280 looks, as nothing links the answers: 13 lie beyond p99, 1.3 beyond p99.9.
    expect(p99?.claimable).toBe(quantileOf(summary, 0.999)?.claimable === false);
  });

  it('lets nobody claim pooled gaps while the backlog grows', () => {
    const summary = pooledOf((answer) => answer, { growing: true });
    expect(summary.quantiles.some(({ claimable, interval }) => claimable || interval)).toBe(false);
  });

  it('is null, not zero, where nothing was observed', () => {
    expect(quantileSummary(inOrder([]), { ...OF, populationCount: 0 })).toMatchObject({
      n: 0,
      coverage: null,
      mean: null,
      min: null,
      max: null,
      quantiles: [],
    });
  });
});
