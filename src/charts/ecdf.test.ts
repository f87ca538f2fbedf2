import { array, assert, double, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBins, ECDF_POINTS_MAX, ecdfPoints } from './ecdf.ts';

describe('ecdfPoints', () => {
  it('is the exact staircase of few values', () => {
    expect(ecdfPoints([1, 2, 4])).toEqual([
      { x: 1, y: 0 },
      { x: 1, y: 1 / 3 },
      { x: 2, y: 2 / 3 },
      { x: 4, y: 1 },
    ]);
    expect(ecdfPoints([])).toEqual([]);
  });

  it('stays small, on the curve, and keeps extremes and the quantiles people ask for', () => {
    const n = 100_000;
    const values = Float64Array.from({ length: n }, (_, at) => (at + 1) ** 2);
    const points = ecdfPoints(values);
    expect(points.length).toBeLessThanOrEqual(ECDF_POINTS_MAX + 1);
    for (const q of [1 / n, 0.5, 0.9, 0.95, 0.99, 0.999, 1]) {
      expect(points).toContainEqual({ x: values[Math.ceil(q * n) - 1], y: Math.ceil(q * n) / n });
    }
    for (const { x, y } of points.slice(1)) expect(values[Math.round((y ?? 0) * n) - 1]).toBe(x);
  });
});

describe('binned values', () => {
  it('count every value at most 1 % too high', () => {
    const value = double({ min: 1e-6, max: 1e9, noNaN: true });
    assert(
      property(array(value, { minLength: 1, maxLength: 50 }), (values) => {
        const bins = createBins();
        for (const one of values) bins.add(one);
        const ascending = values.toSorted((a, b) => a - b);
        expect(bins.count).toBe(values.length);
        for (const { x, y } of bins.points().slice(1)) {
          const rank = Math.round((y ?? 0) * values.length);
          const exact = ascending[rank - 1] as number;
          expect(x).toBeGreaterThanOrEqual(exact * (1 - 1e-9));
          expect(x).toBeLessThanOrEqual(exact * 1.010_001);
        }
      }),
    );
  });

  it('keep zero gaps', () => {
    const bins = createBins();
    for (const one of [0, 0, 5]) bins.add(one);
    expect(bins.points()[1]).toEqual({ x: 0, y: 2 / 3 });
  });
});
