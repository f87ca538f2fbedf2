import { expect, test } from 'vitest';
import { normalQuantile } from './normal.ts';
import { studentTCdf, studentTQuantile } from './student-t.ts';

test('quantiles agree with the printed table', () => {
  // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
  const known = [
    [0.975, 1, 12.706],
    [0.975, 4, 2.776],
    [0.95, 7, 1.895],
    [0.975, 9, 2.262],
    [0.995, 30, 2.75],
    [0.9, 100, 1.29],
  ] as const;
  for (const [p, degrees, t] of known) expect(studentTQuantile(p, degrees)).toBeCloseTo(t, 3);
});

test('closed forms: Cauchy at one degree, algebraic at two', () => {
  for (const p of [0.01, 0.3, 0.51, 0.74, 0.76, 0.999]) {
    expect(studentTQuantile(p, 1)).toBeCloseTo(Math.tan(Math.PI * (p - 0.5)), 9);
    const centred = 2 * p - 1;
    expect(studentTQuantile(p, 2)).toBeCloseTo(
      centred * Math.sqrt(2 / (1 - centred * centred)),
      10,
    );
  }
  expect(studentTCdf(1, 1)).toBeCloseTo(0.75, 13);
});

test('the cdf inverts the quantile, whole degrees or not, and both are symmetric', () => {
  for (const degrees of [1, 2.5, 12, 400]) {
    for (const p of [1e-6, 0.025, 0.2, 0.5, 0.7, 0.975]) {
      const t = studentTQuantile(p, degrees);
      expect(studentTCdf(t, degrees)).toBeCloseTo(p, 11);
      if (t !== 0) expect(studentTQuantile(1 - p, degrees) / t).toBeCloseTo(-1, 8);
    }
  }
});

test('many degrees are the normal', () => {
  expect(studentTQuantile(0.975, 1e6)).toBeCloseTo(normalQuantile(0.975), 5);
});

test('outside the range it refuses', () => {
  expect(() => studentTQuantile(0.5, 0.5)).toThrow(/degrees/);
  expect(() => studentTQuantile(1, 3)).toThrow(/not in/);
});
