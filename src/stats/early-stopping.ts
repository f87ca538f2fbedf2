/**
 * MLPerf's early stopping: how many requests over the limit a run of some length may have and still
 * show a percentile at 99 % confidence. It takes requests for independent; ours share a queue, so
 * its verdict is a named convention and never the proof that docs/statistics.md asks for.
 *
 * Source: MLPerf inference rules, appendix "Early Stopping Criterion"; loadgen/early_stopping.cc
 * (https://github.com/mlcommons/inference), with its tolerance of 0.
 */
import { assert } from '../base/index.ts';
import { regularizedIncompleteBeta } from './incomplete-beta.ts';

/** Label of the verdict. */
export const EARLY_STOPPING_METHOD = 'mlperf early stopping, if independent';

export interface EarlyStopping {
  readonly passes: boolean;
  /** Requests within the limit that this many over it call for. */
  readonly withinLeast: number;
}

/**
 * Whether `within` requests within the limit, beside `over` over it, show that a share `q` of all
 * is within it.
 *
 * Range: whole counts; `q` and `confidence` in (0, 1).
 */
export function earlyStopping(
  within: number,
  over: number,
  q: number,
  confidence = 0.99,
): EarlyStopping {
  assert(Number.isSafeInteger(within) && within >= 0, `${within} is not a count`);
  const withinLeast = earlyStoppingLeast(over, q, confidence);
  return { passes: within >= withinLeast, withinLeast };
}

/** The least `h` for which P(at most `over` of h + over are over | share 1 − q) ≤ 1 − confidence. */
function earlyStoppingLeast(over: number, q: number, confidence: number): number {
  assert(Number.isSafeInteger(over) && over >= 0, `${over} is not a count`);
  assert(q > 0 && q < 1, `quantile ${q} is not in (0, 1)`);
  assert(confidence > 0 && confidence < 1, `confidence ${confidence} is not in (0, 1)`);
  const shows = (within: number): boolean =>
    within > 0 && regularizedIncompleteBeta(q, within, over + 1) <= 1 - confidence;
  let high = 1;
  while (!shows(high)) high *= 2;
  let low = high / 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (shows(middle)) high = middle;
    else low = middle;
  }
  return high;
}
