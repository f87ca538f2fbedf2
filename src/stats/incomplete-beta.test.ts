import { expect, test } from 'vitest';
import { betaQuantile, regularizedIncompleteBeta } from './incomplete-beta.ts';

test('whole parameters give binomial tail sums', () => {
  // I_x(k, n − k + 1) = P(at least k of n): 1 − 0.7³ − 3·0.3·0.7² = 0.216.
  expect(regularizedIncompleteBeta(0.3, 2, 2)).toBeCloseTo(0.216, 14);
  expect(regularizedIncompleteBeta(0.5, 5, 6)).toBeCloseTo(638 / 1024, 14);
});

test('closed forms: uniform, powers and the arcsine law', () => {
  expect(regularizedIncompleteBeta(0.37, 1, 1)).toBeCloseTo(0.37, 14);
  expect(regularizedIncompleteBeta(0.9, 20, 1)).toBeCloseTo(0.9 ** 20, 14);
  expect(regularizedIncompleteBeta(0.2, 0.5, 0.5)).toBeCloseTo(
    (2 / Math.PI) * Math.asin(Math.sqrt(0.2)),
    13,
  );
  expect([0, 1].map((x) => regularizedIncompleteBeta(x, 3, 4))).toEqual([0, 1]);
});

test('symmetric parameters put half below the middle, however large', () => {
  for (const a of [2, 50, 5_000, 500_000]) {
    expect(regularizedIncompleteBeta(0.5, a, a)).toBeCloseTo(0.5, 8);
  }
});

test('the quantile inverts it', () => {
  for (const p of [1e-6, 0.025, 0.5, 0.975, 0.999]) {
    expect(regularizedIncompleteBeta(betaQuantile(p, 7.5, 90), 7.5, 90)).toBeCloseTo(p, 13);
  }
  expect(betaQuantile(0.025, 1, 10)).toBeCloseTo(1 - 0.975 ** 0.1, 14);
});
