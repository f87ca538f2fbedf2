/** What buckets can tell, and nothing more: bounds where the answer lies inside a bucket. */
import type { HistogramCounts } from './histogram-counts.ts';

/** Both ends inclusive. */
export interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** Mean in seconds; `null` without observations or when the server gives no sum. */
export function histogramMean({ sumSeconds, count }: HistogramCounts): number | null {
  return sumSeconds === null || count === 0 ? null : sumSeconds / count;
}

/**
 * The edges in seconds of the bucket that holds the `q`-quantile by nearest rank; `high` is infinite
 * above the last edge. `null` without observations.
 */
export function quantileBounds({ buckets, count }: HistogramCounts, q: number): Bounds | null {
  if (count === 0) return null;
  const rank = Math.max(1, Math.ceil(q * count));
  const at = buckets.findIndex(({ atMost }) => atMost >= rank);
  const below = at < 0 ? buckets.at(-1) : buckets[at - 1];
  return {
    low: below?.upperSeconds ?? 0,
    high: buckets[at]?.upperSeconds ?? Number.POSITIVE_INFINITY,
  };
}

/** How many observations are at most `seconds`: exact at an edge, else by the two edges around it. */
export function countWithin({ buckets, count }: HistogramCounts, seconds: number): Bounds {
  const below = buckets.findLast(({ upperSeconds }) => upperSeconds <= seconds);
  const above = buckets.find(({ upperSeconds }) => upperSeconds >= seconds);
  return { low: below?.atMost ?? 0, high: above?.atMost ?? count };
}

/** Two limits of one objective, in seconds; each a pair where it depends on the prompt. */
export interface JointLimits {
  readonly ttftSeconds: Bounds;
  readonly tpotSeconds: number;
}

/**
 * Share of the requests with a first token that met both limits, as far as two separate histograms
 * tell: with a and b the shares that met each, from max(0, a + b − 1) to min(a, b) (Fréchet). A
 * request of one token has no TPOT and cannot miss it. `null` without observations.
 */
export function jointBounds(
  ttft: HistogramCounts,
  tpot: HistogramCounts,
  { ttftSeconds, tpotSeconds }: JointLimits,
): Bounds | null {
  const { count } = ttft;
  if (count === 0) return null;
  const metA: Bounds = {
    low: countWithin(ttft, ttftSeconds.low).low,
    high: countWithin(ttft, ttftSeconds.high).high,
  };
  const within = countWithin(tpot, tpotSeconds);
  const metB: Bounds = {
    low: Math.max(0, count - (tpot.count - within.low)),
    high: Math.max(0, count - (tpot.count - within.high)),
  };
  return {
    low: Math.max(0, metA.low + metB.low - count) / count,
    high: Math.min(metA.high, metB.high) / count,
  };
}
