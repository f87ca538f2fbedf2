import { expect, test } from 'vitest';
import { warmUpShare } from './steady-state.ts';

/** A repeatable ripple without trend. */
const ripple = (index: number): number => Math.sin(index * 2.399);

test('a start below the rest is cut off where it ends', () => {
  const values = Array.from({ length: 500 }, (_, at) => 10 + ripple(at) - (at < 60 ? 8 : 0));
  expect(warmUpShare(values)).toBeCloseTo(60 / 500, 2);
});

test('a slow rise is cut off about where it flattens', () => {
  const values = Array.from(
    { length: 1_000 },
    (_, at) => 20 * (1 - Math.exp(-at / 40)) + ripple(at),
  );
  const share = warmUpShare(values) as number;
  expect(share * 1_000).toBeGreaterThan(60);
  expect(share * 1_000).toBeLessThan(350);
});

test('a level without a warm-up loses nothing, however it ripples', () => {
  expect(warmUpShare(Array.from({ length: 400 }, (_, at) => 10 + 3 * ripple(at)))).toBe(0);
  expect(warmUpShare(Array.from({ length: 400 }, () => 7))).toBe(0);
});

test('a level that never settles has no steady state', () => {
  expect(warmUpShare(Array.from({ length: 400 }, (_, at) => at))).toBeNull();
});

test('too few values tell nothing', () => {
  expect(warmUpShare(Array.from({ length: 49 }, (_, at) => (at < 10 ? 0 : 5)))).toBeNull();
});
