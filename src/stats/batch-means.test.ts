import { expect, test } from 'vitest';
import { batchMeans, designEffectOf, keptWithFewBatches } from './batch-means.ts';

/** Batches of 100 with so many good ones. */
const ofHundred = (good: readonly number[]) => good.map((count) => ({ good: count, offered: 100 }));

test('independent batches: the textbook variance of a mean', () => {
  // Mean 92, squared deviations 4 + 4 + 0: s² = 4, of the mean 4/3 of 100 × 100.
  const means = batchMeans(ofHundred([90, 94, 92]), { independent: true });
  expect(means).toMatchObject({ ratio: 0.92, degrees: 2, batchCount: 3 });
  expect(means?.variance).toBeCloseTo(4 / 3 / 10_000, 12);
  expect(designEffectOf(means!)).toBe(1);
});

test('batches of unequal size weigh by what was offered', () => {
  const means = batchMeans([
    { good: 10, offered: 10 },
    { good: 30, offered: 90 },
  ]);
  expect(means?.ratio).toBe(0.4);
});

test('correlation between batches raises the variance, by (1 + r)/(1 − r) of an autoregression', () => {
  const clumped = ofHundred([80, 80, 80, 80, 100, 100, 100, 100]);
  const spread = ofHundred([80, 100, 80, 100, 80, 100, 80, 100]);
  const [linked, apart] = [clumped, spread].map((batches) => batchMeans(batches)!);
  expect(linked?.lagOneCorrelation).toBeCloseTo(5 / 8, 12);
  const r = 5 / 8 + 1 / 8;
  const uncorrected = batchMeans(clumped, { independent: true })?.variance as number;
  expect(linked?.variance).toBeCloseTo((uncorrected * (1 + r)) / (1 - r), 12);
  // A negative correlation is no licence for a narrower interval.
  expect(apart?.variance).toBe(batchMeans(spread, { independent: true })?.variance);
});

test('a design effect is how many requests are worth one', () => {
  // All or nothing by batch: 100 requests are worth one.
  const means = batchMeans(ofHundred([100, 0, 100, 0, 100, 0, 100, 0]), { independent: true })!;
  expect(designEffectOf(means)).toBeCloseTo((100 * 8) / 7, 9);
  expect(designEffectOf(batchMeans(ofHundred([100, 100]))!)).toBeNull();
});

test('batches to which nothing was offered do not count', () => {
  const empty = { good: 0, offered: 0 };
  expect(batchMeans([empty, ...ofHundred([90, 94]), empty])).toMatchObject({ degrees: 1 });
  expect(batchMeans([empty, ...ofHundred([90])])).toBeNull();
});

test('few batches cost part of the sample, many hardly any', () => {
  expect(keptWithFewBatches(4, 0.95)).toBeCloseTo((1.959964 / 2.776445) ** 2, 5);
  expect(keptWithFewBatches(31, 0.95)).toBeGreaterThan(0.9);
});
