/**
 * How much a sample can say about a quantile, without assuming a distribution.
 *
 * Everything here holds only if the values are independent draws. Requests of one load test share
 * queues and batches and are not: read the interval as the narrowest honest one.
 */
import { assert } from '../base/index.ts';
import type { ConfidenceInterval } from './confidence-interval.ts';
import { regularizedIncompleteBeta } from './incomplete-beta.ts';
import { ceilNear } from './near-integer.ts';

/** Label of {@link orderStatisticInterval}. */
export const ORDER_STATISTIC_METHOD = 'order statistics, if independent';

/**
 * The smallest sample whose maximum is an upper confidence bound on the `q`-quantile: the least
 * `n` with `1 − qⁿ ≥ level`. With fewer values no claim about that quantile can be made at all:
 * 59, 299 and 2,995 for p95, p99 and p99.9 at 95 %. For a two-sided interval at level 0.95 ask
 * for 0.975 (72, 368, 3,688).
 *
 * Range: `q` and `level` in (0, 1). Holds if the values are independent.
 */
export function minimumSampleSize(q: number, level: number): number {
  assert(q > 0 && q < 1, `quantile ${q} is not in (0, 1)`);
  assert(level > 0 && level < 1, `level ${level} is not in (0, 1)`);
  return Math.max(1, ceilNear(Math.log1p(-level) / Math.log(q)));
}

/**
 * A two-sided interval for the population's `q`-quantile, made of two values of the sample whose
 * ranks the binomial distribution gives (equal tails, so the true level is at least `level`).
 *
 * Range: `q` and `level` in (0, 1). Undefined: `null` when the sample is too small for a bound on
 * either side. Holds only if the values are independent, as its label says.
 */
export function orderStatisticInterval(
  sorted: ArrayLike<number>,
  q: number,
  level = 0.95,
): ConfidenceInterval | null {
  assert(q > 0 && q < 1, `quantile ${q} is not in (0, 1)`);
  assert(level > 0 && level < 1, `level ${level} is not in (0, 1)`);
  const n = sorted.length;
  const tail = (1 - level) / 2;
  // Ranks from 1: P(below low rank) ≤ tail and P(at or above high rank) ≤ tail.
  const lowRank = firstCount(n, (count) => binomialCdf(count, n, q) > tail);
  const highRank = firstCount(n, (count) => binomialCdf(count, n, q) >= 1 - tail) + 1;
  if (lowRank < 1 || highRank > n) return null;
  return {
    low: sorted[lowRank - 1] as number,
    high: sorted[highRank - 1] as number,
    level,
    method: ORDER_STATISTIC_METHOD,
    effectiveN: n,
  };
}

/** P(X ≤ successes) for X ~ binomial(trials, share). */
function binomialCdf(successes: number, trials: number, share: number): number {
  if (successes >= trials) return 1;
  return regularizedIncompleteBeta(1 - share, trials - successes, successes + 1);
}

/** The least count in 0…n for which a monotone condition holds; it holds at `n`. */
function firstCount(n: number, holds: (count: number) => boolean): number {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
