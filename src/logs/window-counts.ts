/** Counts of a log as windows of time, for its error budget. */
import type { WindowCounts } from '../slo/index.ts';
import { isoInstant } from './iso-instant.ts';
import type { LogCounts, SliceCounts } from './slice-counts.ts';
import { floorTo } from './window-table.ts';

type Summed = 'good' | 'bad' | 'excluded' | 'unjudged' | 'failed' | 'incorrect';
type Sums = Record<Summed, number>;

/**
 * One for each window of `windowUs` in which requests were due, in the order of time; strata are
 * pooled. A window without a request is left out: of an empty log nobody knows whether it was lost.
 */
export function windowCounts({ slices }: LogCounts, windowUs: number): WindowCounts[] {
  const windows = new Map<number, Sums>();
  for (const slice of slices) {
    const fromUs = floorTo(slice.fromUs, windowUs);
    windows.set(fromUs, added(windows.get(fromUs), slice));
  }
  return [...windows.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([fromUs, sums]) => ({
      windowStart: isoInstant(fromUs),
      windowEnd: isoInstant(fromUs + windowUs),
      offered: sums.good + sums.bad + sums.unjudged,
      ...sums,
    }));
}

function added(sums: Sums | undefined, slice: SliceCounts): Sums {
  return {
    good: (sums?.good ?? 0) + slice.good,
    bad: (sums?.bad ?? 0) + slice.bad,
    excluded: (sums?.excluded ?? 0) + slice.excluded,
    unjudged: (sums?.unjudged ?? 0) + slice.unjudged,
    failed: (sums?.failed ?? 0) + slice.failed,
    incorrect: (sums?.incorrect ?? 0) + slice.incorrect,
  };
}
