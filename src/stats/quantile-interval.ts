/**
 * How much a sample can say about a quantile, without assuming a distribution.
 *
 * What is labelled "if independent" holds only for independent draws. Requests of one load test share
 * queues and batches and are not: {@link effectiveQuantileInterval} is for them.
 */
import { assert } from '../base/index.ts';
import type { ConfidenceInterval } from './confidence-interval.ts';
import { regularizedIncompleteBeta } from './incomplete-beta.ts';
import { keptWithFewBatches } from './batch-means.ts';
import type { Dependence } from './share-interval.ts';
import { ceilNear } from './near-integer.ts';

/** Label of {@link orderStatisticInterval}. */
export const ORDER_STATISTIC_METHOD = 'order statistics, if independent';
/** Independent looks beyond a quantile below which its interval would cover less than it says. */
const TAIL_LOOKS_LEAST = 8;
/** Below so many it rests on half of the looks, should their number itself be luck. */
const TAIL_LOOKS_AMPLE = 16;
/** Label of {@link effectiveQuantileInterval}. */
export const EFFECTIVE_QUANTILE_METHOD = 'order statistics at effective n, batch means';

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
  assert(level > 0 && level < 1, `level ${level} is not in (0, 1)`);
  const n = sorted.length;
  const ranks = boundingRanks(n, q, level);
  if (ranks === null) return null;
  return {
    low: sorted[ranks.low - 1] as number,
    high: sorted[ranks.high - 1] as number,
    level,
    method: ORDER_STATISTIC_METHOD,
    effectiveN: n,
  };
}

/**
 * As {@link orderStatisticInterval}, for values that hang together: the ranks are those of a sample
 * of the effective size, carried over to the same shares of the values (Woodruff, Journal of the
 * American Statistical Association 47 (1952)). `dependence`: of the share of values up to the
 * quantile, as `shareEstimate` finds it.
 *
 * Undefined: `null` when the effective sample is too small for a bound on either side, or when
 * too few independent looks at the queue lie beyond the quantile.
 */
export function effectiveQuantileInterval(
  sorted: ArrayLike<number>,
  q: number,
  dependence: QuantileDependence,
  level = 0.95,
): ConfidenceInterval | null {
  const ranks = effectiveQuantileRanks(sorted.length, q, dependence, level);
  if (ranks === null) return null;
  return {
    low: sorted[ranks.low - 1] as number,
    high: sorted[ranks.high - 1] as number,
    level,
    method: EFFECTIVE_QUANTILE_METHOD,
    effectiveN: ranks.effectiveN,
  };
}

/** What {@link effectiveQuantileInterval} needs to know of how values hang together. */
export type QuantileDependence = Pick<Dependence, 'effectiveN' | 'degrees' | 'looks'>;

/** Ranks, from 1, of two values of a sample between which a quantile lies. */
export interface QuantileRanks {
  readonly low: number;
  readonly high: number;
  readonly effectiveN: number;
}

/**
 * Which of `n` ascending values bound the interval of {@link effectiveQuantileInterval}, for those
 * who do not hold the values themselves in a row. Undefined: `null` under the same conditions.
 */
export function effectiveQuantileRanks(
  n: number,
  q: number,
  dependence: QuantileDependence,
  level = 0.95,
): QuantileRanks | null {
  // Asked of the queue, not of the values: what they show of their own correlation is too noisy, and
  // just the windows that show little by luck would state an interval.
  const tailLooks = dependence.looks * Math.min(q, 1 - q);
  if (tailLooks < TAIL_LOOKS_LEAST) return null;
  const effectiveN =
    tailLooks < TAIL_LOOKS_AMPLE
      ? Math.min(dependence.effectiveN, dependence.looks / 2)
      : dependence.effectiveN;
  assert(level > 0 && level < 1, `level ${level} is not in (0, 1)`);
  const certain = effectiveN * keptWithFewBatches(dependence.degrees, level);
  const size = Math.min(n, Math.floor(certain));
  const ranks = boundingRanks(size, q, level);
  if (ranks === null) return null;
  const scale = (n + 1) / (size + 1);
  return {
    low: Math.max(1, Math.floor(ranks.low * scale)),
    high: Math.min(n, Math.ceil(ranks.high * scale)),
    effectiveN,
  };
}

/** Ranks from 1 with P(below low rank) ≤ tail and P(at or above high rank) ≤ tail. */
function boundingRanks(
  n: number,
  q: number,
  level: number,
): { readonly low: number; readonly high: number } | null {
  assert(q > 0 && q < 1, `quantile ${q} is not in (0, 1)`);
  const tail = (1 - level) / 2;
  const low = firstCount(n, (count) => binomialCdf(count, n, q) > tail);
  const high = firstCount(n, (count) => binomialCdf(count, n, q) >= 1 - tail) + 1;
  return low < 1 || high > n ? null : { low, high };
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
