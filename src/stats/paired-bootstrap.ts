/**
 * What a few paired differences say about their mean, where the pair is the unit: two windows of
 * load that had the same requests, one on each side.
 */
import { assert, type RandomSource } from '../base/index.ts';
import type { ConfidenceInterval } from './confidence-interval.ts';
import { studentTCdf, studentTQuantile } from './student-t.ts';

/** Label of {@link pairedBootstrapInterval}. */
export const PAIRED_BOOTSTRAP_METHOD = 'expanded percentile bootstrap over pairs';

/**
 * With fewer pairs nothing is claimed: of 2⁵ equally likely sign patterns, the two extreme ones
 * alone are 6 %, so that five pairs cannot show a difference at 5 %.
 */
export const MINIMUM_PAIRS = 6;

/** Smooth enough for the tails that the expansion reaches; a few milliseconds. */
const RESAMPLES = 4_000;

/**
 * An interval for the mean of `differences`: pairs are drawn again with replacement, and the means
 * of the draws are cut where a Student interval would be cut, not a normal one. The plain
 * percentile and BCa intervals are too narrow below 20 pairs (docs/statistics.md has their
 * coverage beside this one's).
 *
 * Units: those of the differences. Range: `level` in (0, 1). Undefined: `null` below
 * {@link MINIMUM_PAIRS}. Holds if pairs are independent of one another. Equal differences and
 * draws give an equal interval. Source: Hesterberg, The American Statistician 69 (2015), 3.4.
 */
export function pairedBootstrapInterval(
  differences: readonly number[],
  options: { readonly random: RandomSource; readonly level?: number; readonly resamples?: number },
): ConfidenceInterval | null {
  const { random, level = 0.95, resamples = RESAMPLES } = options;
  assert(level > 0 && level < 1, `level ${level} is not in (0, 1)`);
  const n = differences.length;
  if (n < MINIMUM_PAIRS) return null;
  const means = resampledMeans(differences, resamples, random);
  const tail = expandedTail((1 - level) / 2, n);
  const rank = Math.min(Math.floor(tail * (resamples + 1)), (resamples - 1) >> 1);
  const lowAt = Math.max(rank - 1, 0);
  return {
    low: means[lowAt] as number,
    high: means[resamples - 1 - lowAt] as number,
    level,
    method: PAIRED_BOOTSTRAP_METHOD,
    effectiveN: n,
  };
}

/** Means of `resamples` draws of as many differences as there are, ascending. */
export function resampledMeans(
  differences: readonly number[],
  resamples: number,
  random: RandomSource,
): Float64Array {
  const n = differences.length;
  const means = new Float64Array(resamples);
  for (let at = 0; at < resamples; at += 1) {
    let sum = 0;
    for (let drawn = 0; drawn < n; drawn += 1) {
      sum += differences[Math.floor(random() * n)] as number;
    }
    means[at] = sum / n;
  }
  return means.sort();
}

/**
 * The tail of the bootstrap distribution beyond which a share `tail` of Student's t lies: the
 * bootstrap's spread is too small by √((n − 1)/n), and its shape is that of a known variance.
 */
function expandedTail(tail: number, n: number): number {
  const cut = studentTQuantile(tail, n - 1) * Math.sqrt(n / (n - 1));
  return studentTCdf(cut, NEARLY_NORMAL);
}

/** Degrees of freedom at which Student's t is the normal distribution to eight digits. */
const NEARLY_NORMAL = 1e8;
