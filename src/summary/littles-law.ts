/** Little's law, twice: an exact check of the path, and the stationary relation of means. */
import { NS_PER_MS, secondsFromNs } from '../base/index.ts';
import { littleInFlightMean } from '../stats/index.ts';
import type { InFlight, Stay } from './in-flight.ts';
import type { RequestRow } from './request-row.ts';
import type { PointSummary, Window } from './summary.ts';

/**
 * How far the generator's count and the record's instants may be apart when a request is handed
 * over: the count moves when a promise settles, the instant was taken when the socket was read.
 */
const HAND_OVER_NS = 2 * NS_PER_MS;

/** The stays, dispatched to done, of the requests that were sent. */
export function staysOf(rows: readonly RequestRow[]): Stay[] {
  return rows.flatMap((row) =>
    row.dispatchedNs === null || row.endNs === null
      ? []
      : [{ fromNs: row.dispatchedNs, toNs: row.endNs }],
  );
}

/**
 * L is the time average over the window; λ the rate of requests sent in it, never the offered one;
 * W their mean stay, never a percentile. L = λW is exact when every stay lies in the window.
 * Refused requests are inside the boundary: they occupy it, if shortly.
 */
export function littlesLawOf(
  rows: readonly RequestRow[],
  window: Window,
  inFlight: InFlight,
): PointSummary['littlesLaw'] {
  const stays = staysOf(rows.filter((row) => row.plannedNs >= window.fromNs));
  const seconds = secondsFromNs(window.toNs - window.fromNs);
  const wMeanNs =
    stays.length === 0
      ? null
      : stays.reduce((sum, stay) => sum + (stay.toNs - stay.fromNs), 0) / stays.length;
  const lambdaRps = seconds > 0 ? stays.length / seconds : null;
  const lMean = inFlight.mean;
  const byLaw =
    lambdaRps === null || wMeanNs === null
      ? null
      : littleInFlightMean({ admittedRps: lambdaRps, sojournMeanNs: wMeanNs });
  return {
    lMean,
    lambdaRps,
    wMeanNs,
    pathGapShare: pathGapOf(rows),
    stationaryGapShare:
      lMean === null || byLaw === null || lMean === 0 ? null : (byLaw - lMean) / lMean,
  };
}

/**
 * ∫ of the generator's own in-flight count minus Σ sojourns of the records, as a share of the
 * latter. Positive: the generator held a request that left no record. Negative: a record too many.
 *
 * Between two dispatches both only fall by the same ends, so the integrals differ by the
 * difference at each dispatch times the time to the next. A difference is taken as zero while
 * {@link HAND_OVER_NS} could explain it. `null` unless every record holds the count.
 */
export function pathGapOf(rows: readonly RequestRow[]): number | null {
  const sent = rows.filter((row) => row.dispatchedNs !== null && row.endNs !== null);
  if (sent.length === 0 || sent.some((row) => row.inFlightCount === null)) return null;
  const starts = Float64Array.from(sent, (row) => row.dispatchedNs as number).sort();
  // A connection that was lost left no instant for its release: some time after what was last seen.
  const ends = Float64Array.from(sent, (row) => row.releasedNs ?? (row.endNs as number)).sort();
  const lateEnds = Float64Array.from(sent, (row) => row.releasedNs ?? Infinity).sort();
  const sojournNs = sent.reduce(
    (sum, row) => sum + ((row.releasedNs ?? (row.endNs as number)) - (row.dispatchedNs as number)),
    0,
  );
  let gapNs = 0;
  const inOrder = sent.toSorted(
    (a, b) =>
      (a.dispatchedNs as number) - (b.dispatchedNs as number) ||
      (a.inFlightCount as number) - (b.inFlightCount as number),
  );
  for (const [index, row] of inOrder.entries()) {
    const atNs = row.dispatchedNs as number;
    const nextNs = inOrder[index + 1]?.dispatchedNs ?? ends.at(-1) ?? atNs;
    const least = Math.max(
      1,
      1 + countUpTo(starts, atNs - HAND_OVER_NS) - countUpTo(ends, atNs + HAND_OVER_NS),
    );
    const most = countUpTo(starts, atNs + HAND_OVER_NS) - countUpTo(lateEnds, atNs - HAND_OVER_NS);
    const told = row.inFlightCount as number;
    const excess = told > most ? told - most : Math.min(0, told - least);
    gapNs += excess * Math.max(0, nextNs - atNs);
  }
  return sojournNs === 0 ? null : gapNs / sojournNs;
}

/** How many sorted values are ≤ `limit`. */
function countUpTo(sorted: Float64Array, limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
