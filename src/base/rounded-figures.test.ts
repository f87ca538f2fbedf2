import { expect, it } from 'vitest';
import { groupedCount, roundedDuration, threeDigits } from './rounded-figures.ts';

it.each([
  [0, '0 ms'],
  [60, '60.0 ns'],
  [45_000, '45.0 µs'],
  [13_700_000, '13.7 ms'],
  [999_900_000, '1.00 s'],
  [1_284_000_000, '1.28 s'],
  [-6_000_000, '-6.00 ms'],
])('writes %d ns as %s', (ns, text) => {
  expect(roundedDuration(ns)).toBe(text);
});

it('writes three digits without an exponent, and thousands apart', () => {
  expect([9.996, 0.0123, 1_950, 999.5].map(threeDigits)).toEqual([
    '10.0',
    '0.0123',
    '1,950',
    '1,000',
  ]);
  expect([0, 999, 1_000, 1_234_567].map(groupedCount)).toEqual(['0', '999', '1,000', '1,234,567']);
});
