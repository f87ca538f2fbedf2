/**
 * Batch means: the variance of a ratio of two sums whose terms follow one another in time and
 * depend on their neighbours, as requests of one queue do. Time is cut into batches; each batch is
 * one observation.
 *
 * Sources: Law, Simulation Modeling and Analysis, 9.5.3 (batch means), 4.3 and 9.5.3 (ratios);
 * Steiger and Wilson, Management Science 48 (2002), and Tafazzoli, Steiger and Wilson, IEEE
 * Transactions on Automatic Control 56 (2011): what correlation is left between batches is
 * corrected for as a first-order autoregression.
 */
import { assert } from '../base/index.ts';
import { normalQuantile } from './normal.ts';
import { studentTQuantile } from './student-t.ts';

/**
 * Batches that a window is cut into. Enough for a narrow t quantile, and for the few, long ones
 * that the correction by the first autocorrelation makes of them.
 */
export const BATCH_COUNT = 32;

/** One stretch of time. For a share: good of offered requests. For a rate: events of seconds. */
export interface TimeBatch {
  readonly good: number;
  readonly offered: number;
}

/** What the batches say of Σ good / Σ offered. */
export interface BatchMeans {
  readonly ratio: number;
  readonly good: number;
  readonly offered: number;
  /** Variance of `ratio`, the correlation between batches corrected for. */
  readonly variance: number;
  /** Degrees of freedom of `variance`. */
  readonly degrees: number;
  readonly batchCount: number;
  /** First autocorrelation of the batches, in [−1, 1]; 0 where they do not differ. */
  readonly lagOneCorrelation: number;
}

/** A longer correlation than this cannot be told from a trend by so few batches. */
const CORRELATION_MOST = 0.8;

/**
 * The ratio of sums over consecutive batches, and its variance. `independent`: the batches are
 * replications, so nothing links one to the next.
 *
 * Undefined: `null` with fewer than two batches to which anything was offered.
 */
export function batchMeans(
  all: readonly TimeBatch[],
  options: { readonly independent: boolean } = { independent: false },
): BatchMeans | null {
  // A batch to which nothing was offered tells nothing, not that all was equal there.
  const batches = all.filter(({ offered }) => offered > 0);
  const batchCount = batches.length;
  const good = batches.reduce((sum, batch) => sum + batch.good, 0);
  const offered = batches.reduce((sum, batch) => sum + batch.offered, 0);
  if (batchCount < 2 || offered === 0) return null;
  assert(offered > 0, `${offered} offered is not a total`);
  const ratio = good / offered;
  let squares = 0;
  let products = 0;
  let previous = 0;
  for (const batch of batches) {
    const residual = batch.good - ratio * batch.offered;
    squares += residual * residual;
    products += residual * previous;
    previous = residual;
  }
  const lagOneCorrelation = squares === 0 ? 0 : products / squares;
  const uncorrected = (batchCount / (batchCount - 1)) * (squares / (offered * offered));
  return {
    ratio,
    good,
    offered,
    variance: uncorrected * (options.independent ? 1 : inflation(lagOneCorrelation, batchCount)),
    degrees: batchCount - 1,
    batchCount,
    lagOneCorrelation,
  };
}

/**
 * How much the variance of a mean grows when its terms follow a first-order autoregression. The
 * sample's correlation is too small by about 1/n (Kendall and Stuart), which is given back; a
 * negative one is taken as none.
 */
function inflation(lagOneCorrelation: number, batchCount: number): number {
  const unbiased = lagOneCorrelation + 1 / batchCount;
  const correlation = Math.min(CORRELATION_MOST, Math.max(0, unbiased));
  return (1 + correlation) / (1 - correlation);
}

/**
 * How many times the variance of `means` exceeds that of as many independent requests: 1 when
 * each request is worth a whole observation, 20 when twenty are worth one. At least 1; `null`
 * where no request missed or none was good, which tells nothing of it.
 */
export function designEffectOf(means: BatchMeans): number | null {
  const { ratio, variance, offered } = means;
  if (ratio <= 0 || ratio >= 1) return null;
  return Math.max(1, (variance * offered) / (ratio * (1 - ratio)));
}

/**
 * The part of an effective sample that is left when its variance was estimated from few batches:
 * (z / t)², after Korn and Graubard, Survey Methodology 24 (1998). In (0, 1).
 */
export function keptWithFewBatches(degrees: number, level: number): number {
  const tail = (1 - level) / 2;
  return (normalQuantile(tail) / studentTQuantile(tail, degrees)) ** 2;
}
