import { describe, expect, test } from 'vitest';
import { randomStream } from '../base/index.ts';
import { minimumSampleSize, orderStatisticInterval } from './quantile-interval.ts';

describe('minimumSampleSize', () => {
  test('is 59, 299 and 2995 for p95, p99 and p99.9 at 95 %', () => {
    expect([0.95, 0.99, 0.999].map((q) => minimumSampleSize(q, 0.95))).toEqual([59, 299, 2995]);
  });

  test('is 72, 368 and 3688 for a two-sided 95 % interval', () => {
    expect([0.95, 0.99, 0.999].map((q) => minimumSampleSize(q, 0.975))).toEqual([72, 368, 3688]);
  });

  test('is exact where the bound is met exactly: 1 − 0.5³ = 0.875', () => {
    expect(minimumSampleSize(0.5, 0.875)).toBe(3);
    expect(minimumSampleSize(0.5, 0.9)).toBe(4);
    expect(minimumSampleSize(0.5, 0.01)).toBe(1);
  });
});

describe('orderStatisticInterval', () => {
  const oneTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

  test('gives the tabled ranks for a median: 2 and 9 of 10, 6 and 15 of 20, 40 and 61 of 100', () => {
    // Conover, Practical Nonparametric Statistics, table for the sign test.
    for (const [n, low, high] of [
      [10, 2, 9],
      [20, 6, 15],
      [100, 40, 61],
    ] as const) {
      expect(orderStatisticInterval(oneTo(n), 0.5)).toMatchObject({ low, high, effectiveN: n });
    }
  });

  test('states nothing below the two-sided minimum', () => {
    expect(orderStatisticInterval(oneTo(71), 0.95)).toBeNull();
    expect(orderStatisticInterval(oneTo(72), 0.95)).toMatchObject({ high: 72 });
    expect(orderStatisticInterval(oneTo(20), 0.99)).toBeNull();
    expect(orderStatisticInterval([], 0.5)).toBeNull();
  });

  test('says under which assumption it holds', () => {
    expect(orderStatisticInterval(oneTo(100), 0.5)?.method).toBe(
      'order statistics, if independent',
    );
  });

  test('covers the true quantile at least as often as it says', () => {
    const draw = randomStream(7, 'quantile-interval-test');
    const trials = 2000;
    let covered = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      const sorted = Float64Array.from({ length: 200 }, draw).sort();
      const interval = orderStatisticInterval(sorted, 0.9);
      if (interval !== null && interval.low <= 0.9 && 0.9 <= interval.high) covered += 1;
    }
    // Nominal 95 %, exactly 95.9 % for these ranks; four standard errors are two points.
    expect(covered / trials).toBeGreaterThan(0.94);
    expect(covered / trials).toBeLessThan(0.985);
  });
});
