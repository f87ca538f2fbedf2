/** The machine's monotonic clock, which every process of the machine shares. */
import type { Clock } from '../base/index.ts';

/** Whole nanoseconds; exact, as a machine must be up for 104 days before they leave a double. */
export function monotonicNs(): number {
  return Number(process.hrtime.bigint());
}

/**
 * What to add to an instant of `clock` to get the monotonic one. Read between two readings of the
 * other clock, and of many tries the one with the closest pair counts: its half width bounds the
 * error.
 */
export function offsetOf(clock: Pick<Clock, 'nowNs'>): {
  readonly offsetNs: number;
  readonly errorNs: number;
} {
  let best = { offsetNs: 0, errorNs: Number.POSITIVE_INFINITY };
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    const beforeNs = monotonicNs();
    const clockNs = clock.nowNs();
    const afterNs = monotonicNs();
    const errorNs = (afterNs - beforeNs) / 2;
    if (errorNs < best.errorNs) best = { offsetNs: beforeNs + errorNs - clockNs, errorNs };
  }
  return best;
}
