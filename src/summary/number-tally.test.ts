import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantile } from '../stats/index.ts';
import { mergedRanks, NumberTally, type RankedNumbers, rankedOf } from './number-tally.ts';

function tallyOf(values: Iterable<number>): RankedNumbers {
  const tally = new NumberTally();
  for (const value of values) tally.push(value);
  return tally.ranked();
}

const QUANTILES = [0.001, 0.5, 0.9, 0.99, 1];

function expectAlike(ranked: RankedNumbers, sorted: Float64Array, limit: number): void {
  expect(ranked.length).toBe(sorted.length);
  expect(ranked.sum).toBe(sorted.reduce((sum, value) => sum + value, 0));
  expect(ranked.min).toBe(sorted[0] ?? null);
  expect(ranked.max).toBe(sorted.at(-1) ?? null);
  expect(ranked.countUpTo(limit)).toBe(sorted.filter((value) => value <= limit).length);
  if (sorted.length === 0) return;
  for (const q of QUANTILES) expect(ranked.quantile(q)).toBe(quantile(sorted, q, 'nearestRank'));
}

describe('a tally of numbers', () => {
  const numbers = fc.array(fc.nat({ max: 50 }), { maxLength: 300 });

  it('ranks as all of them sorted do', () => {
    fc.assert(
      fc.property(numbers, fc.nat({ max: 60 }), (values, limit) => {
        const sorted = Float64Array.from(values).sort();
        expectAlike(tallyOf(values), sorted, limit);
        expectAlike(rankedOf(sorted), sorted, limit);
      }),
    );
  });

  it('of two parts ranks as the whole', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        expectAlike(
          mergedRanks(tallyOf(a), tallyOf(b)),
          Float64Array.from([...a, ...b]).sort(),
          25,
        );
      }),
    );
  });

  it('of many numbers, alike and not, and asked in between, forgets none', () => {
    const values = Float64Array.from({ length: 100_000 }, (_, at) =>
      at % 3 === 0 ? at * 7_919 : (at * 31) % 1_000,
    );
    const tally = new NumberTally();
    for (const [at, value] of values.entries()) {
      tally.push(value);
      if (at % 30_011 === 0) tally.ranked();
    }
    expectAlike(tally.ranked(), values.toSorted(), 12_345);
  });

  it('of NaN is a bug', () => {
    expect(() => tallyOf([1, Number.NaN])).toThrow('NaN');
  });
});
