/**
 * Intervals for a share of successes, such as attainment.
 *
 * They hold only if requests are independent. Requests of one load test share queues and batches:
 * near saturation a nominal 95 % interval may cover far less. The labels say so wherever the
 * interval is shown.
 */
import { assert } from '../base/index.ts';
import type { ConfidenceInterval } from './confidence-interval.ts';
import { betaQuantile } from './incomplete-beta.ts';
import { normalQuantile } from './normal.ts';

/** Label of {@link wilsonInterval}. */
export const WILSON_METHOD = 'wilson, if independent';
/** Label of {@link clopperPearsonInterval}. */
export const CLOPPER_PEARSON_METHOD = 'clopper-pearson, if independent';

/**
 * Wilson's score interval for the share behind `successes` of `trials`. Its coverage is near
 * `level` on average; the default for display. Valid only if requests are independent.
 *
 * Range: whole counts, 0 ≤ successes ≤ trials; `level` in (0, 1). Undefined: `null` without trials.
 * Source: Wilson (1927); Newcombe, Statistics in Medicine 17 (1998), method 3.
 */
export function wilsonInterval(
  successes: number,
  trials: number,
  level = 0.95,
): ConfidenceInterval | null {
  assertCounts(successes, trials, level);
  if (trials === 0) return null;
  const share = successes / trials;
  const z2 = normalQuantile((1 + level) / 2) ** 2;
  const centre = share + z2 / (2 * trials);
  const halfWidth = Math.sqrt(z2 * ((share * (1 - share)) / trials + z2 / (4 * trials ** 2)));
  const scale = 1 + z2 / trials;
  return {
    // At the ends the formula is 0 or 1 exactly; rounding must not put the share outside.
    low: successes === 0 ? 0 : (centre - halfWidth) / scale,
    high: successes === trials ? 1 : (centre + halfWidth) / scale,
    level,
    method: WILSON_METHOD,
    effectiveN: trials,
  };
}

/**
 * The exact (Clopper–Pearson) interval for the share behind `successes` of `trials`: its coverage
 * is never below `level`, for guarantees. Valid only if requests are independent.
 *
 * Range: whole counts, 0 ≤ successes ≤ trials; `level` in (0, 1). Undefined: `null` without trials.
 * Source: Clopper and Pearson, Biometrika 26 (1934).
 */
export function clopperPearsonInterval(
  successes: number,
  trials: number,
  level = 0.95,
): ConfidenceInterval | null {
  assertCounts(successes, trials, level);
  if (trials === 0) return null;
  const tail = (1 - level) / 2;
  const failures = trials - successes;
  return {
    low: successes === 0 ? 0 : betaQuantile(tail, successes, failures + 1),
    high: failures === 0 ? 1 : betaQuantile(1 - tail, successes + 1, failures),
    level,
    method: CLOPPER_PEARSON_METHOD,
    effectiveN: trials,
  };
}

function assertCounts(successes: number, trials: number, level: number): void {
  assert(
    Number.isSafeInteger(successes) &&
      Number.isSafeInteger(trials) &&
      successes >= 0 &&
      successes <= trials,
    `${successes} of ${trials} is not a count of successes`,
  );
  assert(level > 0 && level < 1, `level ${level} is not in (0, 1)`);
}
