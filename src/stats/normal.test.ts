import { expect, test } from 'vitest';
import { normalQuantile } from './normal.ts';

test('the quantile agrees with tables in the centre and both tails', () => {
  const known = [
    [0.6, 0.2533471031357998],
    [0.975, 1.9599639845400536],
    [0.995, 2.5758293035489],
    [0.9999999, 5.199337582290662],
    [1e-12, -7.034483825301132],
  ] as const;
  for (const [p, z] of known) expect(normalQuantile(p)).toBeCloseTo(z, 12);
  expect(normalQuantile(0.5)).toBe(0);
});

test('it is odd about the median', () => {
  for (const p of [0.01, 0.07, 0.3]) {
    expect(normalQuantile(p)).toBeCloseTo(-normalQuantile(1 - p), 12);
  }
});

test('there is no quantile at 0 or 1', () => {
  expect(() => normalQuantile(0)).toThrow(/not in/);
  expect(() => normalQuantile(1)).toThrow(/not in/);
});
