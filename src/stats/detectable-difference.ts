/** How small a difference a comparison of so many pairs would have found. */
import { studentTQuantile } from './student-t.ts';

/** Share of comparisons that are to find a difference of the size stated. */
export const DETECTION_POWER = 0.8;

/**
 * The true mean difference that {@link DETECTION_POWER} of comparisons would show, from the
 * deviation of one pair's difference when both sides are the same (A/A), or the comparison's own
 * when that is not known.
 *
 * Units: those of `deviation`. Range: `criticalT` > 0, the size of t that shows a difference.
 * Undefined: `null` below two pairs.
 */
export function detectableDifference(options: {
  readonly deviation: number;
  readonly pairs: number;
  readonly criticalT: number;
}): number | null {
  const { deviation, pairs, criticalT } = options;
  if (pairs < 2) return null;
  const beyond = studentTQuantile(DETECTION_POWER, pairs - 1);
  return ((criticalT + beyond) * deviation) / Math.sqrt(pairs);
}

/** Sample standard deviation; `null` below two values. */
export function sampleDeviation(values: readonly number[]): number | null {
  const n = values.length;
  if (n < 2) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (n - 1));
}
