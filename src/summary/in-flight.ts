/** How many requests were in flight over a window: the path itself, not a sample of it. */
import { assert } from '../base/index.ts';

/** One stay inside the boundary: dispatched to done. */
export interface Stay {
  readonly fromNs: number;
  readonly toNs: number;
}

export interface InFlight {
  /** ∫ in-flight dt over the window, in request-nanoseconds: whole, hence exact. */
  readonly integralNs: number;
  /** Time average; `null` for an empty window. */
  readonly mean: number | null;
  /** The level not exceeded for 99 % of the window's time; `null` for an empty window. */
  readonly p99: number | null;
}

/**
 * Sweeps the window once over sorted starts and ends. Levels are weighted by the time they lasted;
 * at equal instants ends come before starts, so a request that follows another is never counted
 * as beside it. O(n log n).
 */
export function inFlightOver(
  stays: readonly Stay[],
  window: { readonly fromNs: number; readonly toNs: number },
): InFlight {
  const inside = stays.filter(
    (stay) => stay.toNs > window.fromNs && stay.fromNs < window.toNs && stay.toNs > stay.fromNs,
  );
  const starts = Float64Array.from(inside, (stay) => Math.max(stay.fromNs, window.fromNs)).sort();
  const ends = Float64Array.from(inside, (stay) => Math.min(stay.toNs, window.toNs)).sort();
  const lengthNs = window.toNs - window.fromNs;
  if (!(lengthNs > 0)) return { integralNs: 0, mean: null, p99: null };

  const timeAtLevelNs = new Map<number, number>();
  let integralNs = 0;
  let level = 0;
  let atNs = window.fromNs;
  let started = 0;
  let ended = 0;
  const moveTo = (toNs: number): void => {
    timeAtLevelNs.set(level, (timeAtLevelNs.get(level) ?? 0) + (toNs - atNs));
    integralNs += level * (toNs - atNs);
    atNs = toNs;
  };
  while (ended < ends.length) {
    const endNs = ends[ended] as number;
    const startNs = starts[started] ?? Number.POSITIVE_INFINITY;
    moveTo(Math.min(endNs, startNs));
    if (endNs <= startNs) {
      level -= 1;
      ended += 1;
    } else {
      level += 1;
      started += 1;
    }
    assert(level >= 0, 'a request left before it came');
  }
  moveTo(window.toNs);
  return { integralNs, mean: integralNs / lengthNs, p99: levelAt(timeAtLevelNs, 0.99 * lengthNs) };
}

/** The smallest level such that no higher level is needed for `timeNs` of the window. */
function levelAt(timeAtLevelNs: ReadonlyMap<number, number>, timeNs: number): number {
  let spentNs = 0;
  let highest = 0;
  for (const level of [...timeAtLevelNs.keys()].toSorted((a, b) => a - b)) {
    highest = level;
    spentNs += timeAtLevelNs.get(level) as number;
    if (spentNs >= timeNs) return level;
  }
  return highest;
}

/** Mean level over equal bins of the window; all 0 for an empty one. */
export function levelsOver(
  stays: readonly Stay[],
  window: { readonly fromNs: number; readonly toNs: number },
  bins: number,
): Float64Array {
  // What each bin gains or loses, and what comes on top in the bins where a stay starts or ends.
  const steps = new Float64Array(bins + 1);
  const levels = new Float64Array(bins);
  const binNs = (window.toNs - window.fromNs) / bins;
  if (!(binNs > 0)) return levels;
  const enter = (atNs: number, sign: number): void => {
    const at = Math.max(0, (atNs - window.fromNs) / binNs);
    const bin = Math.floor(at);
    if (bin >= bins) return;
    levels[bin] = (levels[bin] as number) + sign * (bin + 1 - at);
    steps[bin + 1] = (steps[bin + 1] as number) + sign;
  };
  for (const { fromNs, toNs } of stays) {
    if (toNs <= window.fromNs) continue;
    enter(fromNs, 1);
    enter(toNs, -1);
  }
  let level = 0;
  for (let bin = 0; bin < bins; bin += 1) {
    level += steps[bin] as number;
    levels[bin] = (levels[bin] as number) + level;
  }
  return levels;
}
