import { expect, test } from 'vitest';
import { earlyStopping } from './early-stopping.ts';

/** Requests in all that `over` of them over the limit call for. */
const total = (q: number, over: number): number => earlyStopping(0, over, q).withinLeast + over;

test('one request over the limit calls for the minima that MLPerf publishes', () => {
  // MLPerf inference rules, table of minimum query counts for early stopping.
  expect([0.9, 0.95, 0.97, 0.99].map((q) => total(q, 1))).toEqual([64, 130, 219, 662]);
});

test('with none over the limit it is the closed form ln(1 − c) / ln q', () => {
  for (const q of [0.5, 0.9, 0.95, 0.99, 0.999]) {
    expect(total(q, 0)).toBe(Math.ceil(Math.log(0.01) / Math.log(q)));
  }
});

test('many over the limit: a run of 24,576 may have 209 at p99', () => {
  expect(earlyStopping(24_576 - 209, 209, 0.99).passes).toBe(true);
  expect(earlyStopping(24_576 - 210, 210, 0.99).passes).toBe(false);
});

test('a run just at the percentile fails', () => {
  expect(earlyStopping(990, 10, 0.99)).toEqual({ passes: false, withinLeast: 2_000 });
});
