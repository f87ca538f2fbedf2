/** Bounds from two histograms hold what a count of the requests themselves gives. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  Histogram,
  parseMetrics,
  readHistograms,
  renderMetrics,
} from '../../src/prometheus/index.ts';
import {
  countWithin,
  type HistogramCounts,
  histogramCounts,
  histogramMean,
  jointBounds,
  quantileBounds,
} from '../../src/telemetry/index.ts';

const EDGES = [0.1, 0.25, 0.5, 1, 2.5];
const seconds = fc.integer({ min: 0, max: 30 }).map((tenths) => tenths / 10);
const requests = fc.array(fc.record({ ttft: seconds, tpot: fc.option(seconds) }), {
  minLength: 1,
  maxLength: 60,
});

/** As it comes from a server: observed, written as text, read back. */
function published(values: readonly number[]): HistogramCounts {
  const histogram = new Histogram(EDGES);
  for (const value of values) histogram.observe(value);
  const samples = histogram.samples('x', {});
  const text = renderMetrics([{ name: 'x', type: 'histogram', help: null, samples }]);
  const [family] = parseMetrics(text).families;
  const [reading] = family === undefined ? [] : readHistograms(family);
  if (reading === undefined) throw new Error('nothing was read back');
  return histogramCounts(reading);
}

it('joint bounds hold the share counted request by request', () => {
  fc.assert(
    fc.property(requests, seconds, seconds, (all, ttftSeconds, tpotSeconds) => {
      const good = all.filter(
        ({ ttft, tpot }) => ttft <= ttftSeconds && (tpot === null || tpot <= tpotSeconds),
      );
      const bounds = jointBounds(
        published(all.map(({ ttft }) => ttft)),
        published(all.flatMap(({ tpot }) => tpot ?? [])),
        { ttftSeconds: { low: ttftSeconds, high: ttftSeconds }, tpotSeconds },
      );
      const share = good.length / all.length;
      expect(bounds?.low).toBeLessThanOrEqual(share);
      expect(bounds?.high).toBeGreaterThanOrEqual(share);
    }),
  );
});

it('quantile and count bounds hold the value and the count, and the mean is exact', () => {
  const q = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(seconds, { minLength: 1, maxLength: 60 }),
      q,
      seconds,
      (all, at, limit) => {
        const counts = published(all);
        const sorted = all.toSorted((a, b) => a - b);
        const value = sorted[Math.max(1, Math.ceil(at * all.length)) - 1] as number;
        const bounds = quantileBounds(counts, at);
        expect(bounds?.low).toBeLessThanOrEqual(value);
        expect(bounds?.high).toBeGreaterThanOrEqual(value);
        const within = all.filter((one) => one <= limit).length;
        expect(countWithin(counts, limit).low).toBeLessThanOrEqual(within);
        expect(countWithin(counts, limit).high).toBeGreaterThanOrEqual(within);
        const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
        expect(histogramMean(counts)).toBeCloseTo(mean, 9);
      },
    ),
  );
});
