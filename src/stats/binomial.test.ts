import { describe, expect, test } from 'vitest';
import { clopperPearsonInterval, wilsonInterval } from './binomial.ts';

// Newcombe, Statistics in Medicine 17 (1998) 857–872, table I, methods 3 and 5.
const NEWCOMBE = [
  { successes: 81, trials: 263, wilson: [0.2553, 0.3662], exact: [0.2527, 0.3676] },
  { successes: 15, trials: 148, wilson: [0.0624, 0.1605], exact: [0.0578, 0.1617] },
  { successes: 0, trials: 20, wilson: [0, 0.1611], exact: [0, 0.1684] },
  { successes: 1, trials: 29, wilson: [0.0061, 0.1718], exact: [0.0009, 0.1776] },
] as const;

describe.each(NEWCOMBE)('$successes of $trials', ({ successes, trials, wilson, exact }) => {
  test('Wilson agrees with the published interval', () => {
    const interval = wilsonInterval(successes, trials);
    expect(interval?.low).toBeCloseTo(wilson[0], 4);
    expect(interval?.high).toBeCloseTo(wilson[1], 4);
  });

  test('Clopper–Pearson agrees with the published interval', () => {
    const interval = clopperPearsonInterval(successes, trials);
    expect(interval?.low).toBeCloseTo(exact[0], 4);
    expect(interval?.high).toBeCloseTo(exact[1], 4);
  });
});

test('Clopper–Pearson has a closed form without failures: α/2 to the power 1/n', () => {
  expect(clopperPearsonInterval(10, 10)?.low).toBeCloseTo(0.025 ** (1 / 10), 13);
  expect(clopperPearsonInterval(100_000, 100_000)?.low).toBeCloseTo(0.025 ** 1e-5, 12);
  expect(clopperPearsonInterval(0, 59, 0.9)?.high).toBeCloseTo(1 - 0.05 ** (1 / 59), 13);
});

test('both stay near the share for large counts', () => {
  const exact = clopperPearsonInterval(970_000, 1_000_000);
  const wilson = wilsonInterval(970_000, 1_000_000);
  expect(exact?.low).toBeCloseTo(wilson?.low ?? 0, 5);
  expect(exact?.high).toBeCloseTo(wilson?.high ?? 0, 5);
});

test('a higher level is wider', () => {
  const narrow = wilsonInterval(90, 100, 0.9);
  const wide = wilsonInterval(90, 100, 0.99);
  expect(wide?.low).toBeLessThan(narrow?.low ?? 0);
  expect(wide?.high).toBeGreaterThan(narrow?.high ?? 1);
});

test('the assumption is part of the label', () => {
  expect(wilsonInterval(9, 10)).toMatchObject({
    level: 0.95,
    method: 'wilson, if independent',
    effectiveN: 10,
  });
  expect(clopperPearsonInterval(9, 10)?.method).toBe('clopper-pearson, if independent');
});

test('no trials, no interval; impossible counts are bugs', () => {
  expect(wilsonInterval(0, 0)).toBeNull();
  expect(clopperPearsonInterval(0, 0)).toBeNull();
  expect(() => wilsonInterval(3, 2)).toThrow(/not a count/);
  expect(() => clopperPearsonInterval(0.5, 2)).toThrow(/not a count/);
  expect(() => wilsonInterval(1, 2, 95)).toThrow(/not in/);
});
