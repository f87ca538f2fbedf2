import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LatenessMeter } from './lateness-meter.ts';

test('nothing seen is null, not 0', () => {
  const nothing = { count: 0, meanNs: null, p50Ns: null, p99Ns: null, maxNs: null };
  expect(new LatenessMeter().read()).toEqual(nothing);
});

test('quantiles are at or up to 7 % above the nearest rank', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1e10 }), { minLength: 1 }), (lateNs) => {
      const meter = new LatenessMeter();
      for (const one of lateNs) meter.add(one);
      const sorted = lateNs.toSorted((a, b) => a - b);
      const read = meter.read();
      for (const [q, got] of [
        [0.5, read.p50Ns],
        [0.99, read.p99Ns],
      ] as const) {
        const exact = sorted[Math.ceil(q * sorted.length) - 1] as number;
        expect(got).toBeGreaterThanOrEqual(Math.floor(exact));
        expect(got).toBeLessThanOrEqual(exact * 1.075 + 1);
      }
      expect(read.maxNs).toBe(sorted.at(-1));
      expect(read.meanNs).toBeCloseTo(lateNs.reduce((sum, one) => sum + one) / lateNs.length, 3);
    }),
  );
});
