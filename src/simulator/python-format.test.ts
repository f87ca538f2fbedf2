/** Texts printed by CPython 3.11. */
import { describe, expect, it } from 'vitest';
import { pythonFixed, pythonGeneral, pythonPercent, pythonThousands } from './python-format.ts';

describe('pythonFixed', () => {
  it.each([
    [0.25, 1, '0.2'],
    [0.75, 1, '0.8'],
    [0.5, 0, '0'],
    [1.5, 0, '2'],
    [2.5, 0, '2'],
    [0.125, 2, '0.12'],
    [0.375, 2, '0.38'],
    [1_674.5, 0, '1674'],
  ])('rounds the tie %d to the even digit of %d', (value, digits, text) => {
    expect(pythonFixed(value, digits)).toBe(text);
  });

  it.each([
    [7.05, 1, '7.0'],
    [0.35, 1, '0.3'],
    [0.05, 1, '0.1'],
    [15.861333, 3, '15.861'],
  ])('rounds %d, which only looks like a tie in decimals', (value, digits, text) => {
    expect(pythonFixed(value, digits)).toBe(text);
  });
});

it('writes thousands, per cent and general numbers', () => {
  expect([999.5, 2_970.5, 1_234_567].map(pythonThousands)).toEqual(['1,000', '2,970', '1,234,567']);
  expect([0.78513577, 0.9125, 1].map(pythonPercent)).toEqual(['78.5%', '91.2%', '100.0%']);
  expect([7.5, 0.25, 13].map(pythonGeneral)).toEqual(['7.5', '0.25', '13']);
});
