/** An interval for a rate of events that come in clumps, from counts of consecutive batches. */
import { batchMeans, type TimeBatch } from './batch-means.ts';
import type { ConfidenceInterval } from './confidence-interval.ts';
import { EFFECTIVE_N_LEAST } from './share-interval.ts';
import { studentTQuantile } from './student-t.ts';

/** Label of {@link rateInterval}. */
export const RATE_METHOD = 'student t, batch means';

/**
 * The interval for Σ good / Σ offered, where `good` counts events and `offered` is the length of
 * each batch in any unit. Its effective n is the count of independent events that would leave as
 * much doubt.
 *
 * Undefined: `null` with fewer than two batches, no events, or fewer than
 * {@link EFFECTIVE_N_LEAST} effective ones.
 */
export function rateInterval(
  batches: readonly TimeBatch[],
  level = 0.95,
): ConfidenceInterval | null {
  const means = batchMeans(batches);
  if (means === null || means.good === 0) return null;
  const { ratio, variance, degrees, good } = means;
  const effectiveN = variance === 0 ? good : Math.min(good, ratio ** 2 / variance);
  if (effectiveN < EFFECTIVE_N_LEAST) return null;
  const halfWidth = studentTQuantile((1 + level) / 2, degrees) * Math.sqrt(variance);
  return {
    low: Math.max(0, ratio - halfWidth),
    high: ratio + halfWidth,
    level,
    method: RATE_METHOD,
    effectiveN,
  };
}
