import { describe, expect, test } from 'vitest';
import { InvariantError, randomStream } from '../base/index.ts';
import { createLengthDraw, lengthMean } from './distributions.ts';
import type { LengthDistribution } from './spec.ts';

function draws(distribution: LengthDistribution, count = 20_000): number[] {
  const next = createLengthDraw(distribution, randomStream(7, 'lengths'));
  return Array.from({ length: count }, next);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe('lengths drawn', () => {
  test('fixed gives always the same', () => {
    expect(new Set(draws({ kind: 'fixed', tokens: 12 }, 100))).toEqual(new Set([12]));
  });

  test('uniform reaches both ends and nothing beyond', () => {
    expect(new Set(draws({ kind: 'uniform', min: 3, max: 6 }, 1_000))).toEqual(
      new Set([3, 4, 5, 6]),
    );
  });

  test('lognormal has its median, and its clamps hold', () => {
    const values = draws({ kind: 'lognormal', median: 500, sigma: 1, min: 50, max: 4_000 });
    const sorted = values.toSorted((a, b) => a - b);
    // The median of 20,000 draws lies within 500 · exp(±3 · 1.2533 / √20,000) with 3 sigma.
    expect(sorted[10_000]).toBeGreaterThan(486);
    expect(sorted[10_000]).toBeLessThan(514);
    expect(sorted[0]).toBe(50);
    expect(sorted.at(-1)).toBe(4_000);
    expect(values.every(Number.isInteger)).toBe(true);
  });

  test('empirical draws by weight and never a value of weight 0', () => {
    const values = draws({
      kind: 'empirical',
      values: [
        { tokens: 5, weight: 0 },
        { tokens: 10, weight: 1 },
        { tokens: 15, weight: 0 },
        { tokens: 20, weight: 3 },
      ],
    });
    const tens = values.filter((value) => value === 10).length;
    expect(tens / values.length).toBeCloseTo(0.25, 1);
    expect(new Set(values)).toEqual(new Set([10, 20]));
  });

  test('not even when the draw is exactly 0', () => {
    const values = [
      { tokens: 5, weight: 0 },
      { tokens: 10, weight: 1 },
    ];
    expect(createLengthDraw({ kind: 'empirical', values }, () => 0)()).toBe(10);
  });

  test('a distribution that config should have refused is our bug', () => {
    expect(() => draws({ kind: 'uniform', min: 9, max: 3 })).toThrow(InvariantError);
    expect(() => draws({ kind: 'fixed', tokens: 0 })).toThrow(InvariantError);
    expect(() => draws({ kind: 'empirical', values: [{ tokens: 1, weight: 0 }] })).toThrow(
      InvariantError,
    );
  });
});

describe('mean length', () => {
  test.each<[LengthDistribution, number]>([
    [{ kind: 'fixed', tokens: 12 }, 12],
    [{ kind: 'uniform', min: 3, max: 6 }, 4.5],
    [
      {
        kind: 'empirical',
        values: [
          { tokens: 10, weight: 1 },
          { tokens: 20, weight: 3 },
        ],
      },
      17.5,
    ],
  ])('%j has mean %d', (distribution, expected) => {
    expect(lengthMean(distribution)).toBe(expected);
  });

  test('lognormal without clamps in reach: median · exp(sigma²/2), less the half cut off', () => {
    const distribution = { kind: 'lognormal', median: 500, sigma: 0.8, min: 1, max: 1e9 } as const;
    expect(lengthMean(distribution)).toBeCloseTo(500 * Math.exp(0.32) - 0.5, 0);
  });

  test('lognormal with clamps agrees with its own draws', () => {
    const distribution = {
      kind: 'lognormal',
      median: 300,
      sigma: 1.2,
      min: 64,
      max: 2_000,
    } as const;
    const standardError = 4;
    expect(Math.abs(mean(draws(distribution)) - lengthMean(distribution))).toBeLessThan(
      4 * standardError,
    );
  });
});
