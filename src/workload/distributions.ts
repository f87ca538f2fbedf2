/** Draws of token counts, and their means for estimates made before a run. */
import { randomLogNormal } from 'd3-random';
import { assert, assertNever, type RandomSource } from '../base/index.ts';
import type { LengthDistribution } from './spec.ts';

/** Gives the next token count of a stream. */
export type LengthDraw = () => number;

/**
 * Draws whole token counts of `distribution` from `random`.
 *
 * Errors: a distribution that config should have refused (min > max, weight < 0) is an invariant.
 */
export function createLengthDraw(
  distribution: LengthDistribution,
  random: RandomSource,
): LengthDraw {
  switch (distribution.kind) {
    case 'fixed': {
      const { tokens } = distribution;
      assertRange(tokens, tokens);
      return () => tokens;
    }
    case 'uniform': {
      const { min, max } = distribution;
      assertRange(min, max);
      return () => min + Math.floor(random() * (max - min + 1));
    }
    case 'lognormal': {
      const { median, sigma, min, max } = distribution;
      assertRange(min, max);
      assert(
        median > 0 && sigma >= 0,
        `lognormal needs median > 0, sigma ≥ 0: ${median}, ${sigma}`,
      );
      const draw = randomLogNormal.source(random)(Math.log(median), sigma);
      return () => clamp(Math.floor(draw()), min, max);
    }
    case 'empirical':
      return createEmpiricalDraw(distribution.values, random);
    default:
      return assertNever(distribution);
  }
}

/** Mean token count of the draws; exact but for `lognormal`, which is integrated to about 0.01 %. */
export function lengthMean(distribution: LengthDistribution): number {
  switch (distribution.kind) {
    case 'fixed':
      return distribution.tokens;
    case 'uniform':
      return (distribution.min + distribution.max) / 2;
    case 'lognormal': {
      const { median, sigma, min, max } = distribution;
      return meanOverNormal((z) => clamp(Math.floor(median * Math.exp(sigma * z)), min, max));
    }
    case 'empirical': {
      const { values } = distribution;
      const weightSum = values.reduce((sum, { weight }) => sum + weight, 0);
      return values.reduce((sum, { tokens, weight }) => sum + tokens * weight, 0) / weightSum;
    }
    default:
      return assertNever(distribution);
  }
}

function createEmpiricalDraw(
  values: readonly { readonly tokens: number; readonly weight: number }[],
  random: RandomSource,
): LengthDraw {
  const cumulative: number[] = [];
  let weightSum = 0;
  for (const { tokens, weight } of values) {
    assertRange(tokens, tokens);
    assert(weight >= 0 && Number.isFinite(weight), `a weight is finite and ≥ 0: ${weight}`);
    weightSum += weight;
    cumulative.push(weightSum);
  }
  assert(weightSum > 0, 'an empirical distribution needs a positive weight');
  return () => {
    const at = firstAbove(cumulative, random() * weightSum);
    return (values[at] as { tokens: number }).tokens;
  };
}

/** Index of the first of the ascending `sums` that is above `x`: never one of zero weight. */
function firstAbove(sums: readonly number[], x: number): number {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sums[middle] as number) > x) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** E[f(Z)] for standard normal Z, by the trapezoid rule over ±8 standard deviations. */
function meanOverNormal(f: (z: number) => number): number {
  const steps = 16_384;
  let sum = 0;
  let weightSum = 0;
  for (let i = 0; i <= steps; i += 1) {
    const z = -8 + (16 * i) / steps;
    const weight = Math.exp(-z * z * 0.5);
    sum += weight * f(z);
    weightSum += weight;
  }
  return sum / weightSum;
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

function assertRange(min: number, max: number): void {
  const whole = Number.isSafeInteger(min) && Number.isSafeInteger(max);
  assert(whole && min >= 1 && min <= max, `token counts are whole, ≥ 1, min ≤ max: ${min}, ${max}`);
}
