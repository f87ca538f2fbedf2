/** Histograms as counts: added over label sets and endpoints, subtracted over time. */
import type { HistogramReading } from '../prometheus/index.ts';

/** Observations in seconds. */
export interface HistogramCounts {
  /** Ascending; observations above the last are known by `count` alone. */
  readonly buckets: readonly { readonly upperSeconds: number; readonly atMost: number }[];
  /** `null` when the server gives none. */
  readonly sumSeconds: number | null;
  readonly count: number;
}

/** A reading without count and `+Inf` bucket says how many there were by its highest bucket. */
export function histogramCounts({ buckets, sum, count }: HistogramReading): HistogramCounts {
  return {
    buckets: buckets
      .filter(({ upperEdge }) => Number.isFinite(upperEdge))
      .map(({ upperEdge, cumulativeCount }) => ({
        upperSeconds: upperEdge,
        atMost: cumulativeCount,
      })),
    sumSeconds: sum,
    count: count ?? buckets.at(-1)?.cumulativeCount ?? 0,
  };
}

/** Of several together; edges that not all have are left out, so that what is left is exact. */
export function addHistograms(all: readonly HistogramCounts[]): HistogramCounts | null {
  const [first, ...rest] = all;
  return first === undefined ? null : rest.reduce((a, b) => combined(a, b, 1), first);
}

/** What came between two readings of one server; `null` when it restarted in between. */
export function histogramIncrease(
  earlier: HistogramCounts,
  later: HistogramCounts,
): HistogramCounts | null {
  const increase = combined(later, earlier, -1);
  const fell = increase.count < 0 || increase.buckets.some(({ atMost }) => atMost < 0);
  return fell ? null : increase;
}

function combined(a: HistogramCounts, b: HistogramCounts, sign: 1 | -1): HistogramCounts {
  const ofB = new Map(b.buckets.map(({ upperSeconds, atMost }) => [upperSeconds, atMost]));
  return {
    buckets: a.buckets.flatMap(({ upperSeconds, atMost }) => {
      const other = ofB.get(upperSeconds);
      return other === undefined ? [] : [{ upperSeconds, atMost: atMost + sign * other }];
    }),
    sumSeconds:
      a.sumSeconds === null || b.sumSeconds === null ? null : a.sumSeconds + sign * b.sumSeconds,
    count: a.count + sign * b.count,
  };
}
