import { describe, expect, it } from 'vitest';
import { isEnoughFor, quantileOf, quantileSummary } from './quantile-summary.ts';

const OF = { window: 'wall', population: 'completed' } as const;

describe('a quantile summary', () => {
  it('names rule, population, n and coverage, and orders by value', () => {
    const summary = quantileSummary([30, 10, 20], { ...OF, populationCount: 4 });
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
    const p99 = quantileOf(quantileSummary(values, { ...OF, populationCount: 20 }), 0.99);
    expect(p99).toEqual({ q: 0.99, value: 20, claimable: false, interval: null });
  });

  it('claims p95 from 59 values, p99 from 299, p99.9 from 2,995', () => {
    const smallest = (q: number): number => {
      let n = 1;
      while (!isEnoughFor(q, n)) n += 1;
      return n;
    };
    expect([0.95, 0.99, 0.999].map(smallest)).toEqual([59, 299, 2_995]);
  });

  it('gives an interval only under the name "if independent"', () => {
    const values = Array.from({ length: 500 }, (_, index) => index);
    const p95 = quantileOf(quantileSummary(values, { ...OF, populationCount: 500 }), 0.95);
    expect(p95?.interval?.method).toMatch(/if independent/);
    expect(p95?.interval?.low).toBeLessThan(p95?.value as number);
  });

  it('gives pooled gaps no interval, covers by request and claims by request', () => {
    const gaps = Array.from({ length: 5_000 }, () => 10);
    const summary = quantileSummary(gaps, { ...OF, populationCount: 10, contributorCount: 9 });
    expect(summary.coverage).toBe(0.9);
    expect(summary.quantiles.every((entry) => entry.interval === null)).toBe(true);
    const claimed = summary.quantiles.filter((entry) => entry.claimable).map(({ q }) => q);
    expect(claimed, '5,000 gaps of nine answers are nine draws at best').toEqual([0.5]);
  });

  it('is null, not zero, where nothing was observed', () => {
    expect(quantileSummary([], { ...OF, populationCount: 0 })).toMatchObject({
      n: 0,
      coverage: null,
      mean: null,
      min: null,
      max: null,
      quantiles: [],
    });
  });
});
