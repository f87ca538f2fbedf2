/**
 * Quantiles of a sample under a named rule. The rules differ by a rank or by interpolation, which
 * at the tail of a small sample is a large difference: every output names the one it used.
 * Quantiles are never averaged; merge the samples and take the quantile of the union.
 */
import { assert, assertNever } from '../base/index.ts';
import { ceilNear, floorNear } from './near-integer.ts';

/**
 * With `n` values sorted ascending, counted from 0:
 * - `nearestRank`: `sorted[⌈q·n⌉ − 1]`, the default everywhere;
 * - `floorRank`: `sorted[min(n − 1, ⌊q·n⌋)]`, one rank higher whenever `q·n` is whole (MLPerf);
 * - `linear`: interpolated at `(n − 1)·q` (Hyndman and Fan type 7), to compare with other tools.
 */
export type QuantileRule = 'nearestRank' | 'floorRank' | 'linear';

/**
 * The `q`-quantile of values already sorted ascending.
 *
 * Range: `q` in (0, 1]; 0 is allowed for `floorRank` and `linear`, where it is the minimum.
 * `q` is read as the decimal it was written as: 0.07 of 100 values is rank 7.
 * Errors: an empty sample or a `q` out of range breaks an invariant; ask `n > 0` first.
 */
export function quantile(sorted: ArrayLike<number>, q: number, rule: QuantileRule): number {
  const n = sorted.length;
  assert(n > 0, 'a quantile needs at least one value');
  assert(q <= 1 && (rule === 'nearestRank' ? q > 0 : q >= 0), `quantile ${q} is out of range`);
  switch (rule) {
    case 'nearestRank':
      return valueAt(sorted, nearestRankAt(n, q));
    case 'floorRank':
      return valueAt(sorted, Math.min(n - 1, floorNear(q * n)));
    case 'linear':
      return interpolatedAt(sorted, (n - 1) * q);
    default:
      return assertNever(rule);
  }
}

/** Where the nearest-rank quantile of `n` ≥ 1 ascending values stands, from 0. Range: `q` in (0, 1]. */
export function nearestRankAt(n: number, q: number): number {
  assert(n > 0, 'a quantile needs at least one value');
  assert(q > 0 && q <= 1, `quantile ${q} is out of range`);
  return Math.max(ceilNear(q * n), 1) - 1;
}

/** The `q`-quantile of values in any order; see {@link quantile}. The input is not changed. */
export function sampleQuantile(values: ArrayLike<number>, q: number, rule: QuantileRule): number {
  return quantile(sortedCopy(values), q, rule);
}

/** The values ascending, as a new array. Errors: NaN has no rank and breaks an invariant. */
export function sortedCopy(values: ArrayLike<number>): Float64Array {
  const sorted = Float64Array.from(values).sort();
  // A typed array sorts NaN last, so one look is enough.
  assert(!Number.isNaN(sorted.at(-1)), 'a sample to rank holds NaN');
  return sorted;
}

function interpolatedAt(sorted: ArrayLike<number>, position: number): number {
  const below = floorNear(position);
  const low = valueAt(sorted, below);
  const fraction = position - below;
  if (fraction <= 0 || below + 1 >= sorted.length) return low;
  const high = valueAt(sorted, below + 1);
  return low === high ? low : low + fraction * (high - low);
}

function valueAt(sorted: ArrayLike<number>, index: number): number {
  const value = sorted[index];
  assert(value !== undefined, `rank ${index} is outside the sample`);
  return value;
}
