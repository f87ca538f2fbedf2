/** Latencies of requests under one set of rules: whose, which, how weighted, which percentile. */
import { nearestRankAt, quantile, sortedCopy, type QuantileRule } from '../stats/index.ts';
import type { Sample } from './sample.ts';
import type { SeenRequest } from './seen-request.ts';

/** How a distribution is made. Values in nanoseconds. */
export interface Distribution {
  /** Whose values count. */
  readonly of: (request: SeenRequest, sample: Sample) => boolean;
  /** One request's values; `[]` = it gives none. */
  readonly values: (request: SeenRequest) => readonly number[];
  /** Weight of each of a request's values; `null` = all weigh the same. */
  readonly weight: ((request: SeenRequest) => number) | null;
  readonly rule: QuantileRule;
}

/** The statistics of a bridge, in the order in which they are shown. */
export const STATISTICS = ['mean', 'p50', 'p90', 'p95', 'p99'] as const;

export type Statistic = (typeof STATISTICS)[number];

const QUANTILES: Readonly<Record<Exclude<Statistic, 'mean'>, number>> = {
  p50: 0.5,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
};

/** Each statistic in nanoseconds; `null` when no request gave a value. */
export type Statistics = Readonly<Record<Statistic, number | null>>;

export function statisticsOf(distribution: Distribution, sample: Sample): Statistics {
  const requests = sample.sent.filter((request) => distribution.of(request, sample));
  return distribution.weight === null
    ? plainStatistics(
        requests.flatMap((request) => distribution.values(request)),
        distribution.rule,
      )
    : weightedStatistics(requests, distribution);
}

function plainStatistics(values: readonly number[], rule: QuantileRule): Statistics {
  if (values.length === 0) return NOTHING;
  const sorted = sortedCopy(values);
  return {
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    ...eachQuantile((q) => quantile(sorted, q, rule)),
  };
}

/** The percentile is the first value at which the weight so far reaches `q` of the whole. */
function weightedStatistics(
  requests: readonly SeenRequest[],
  { values, weight }: Distribution,
): Statistics {
  const weighted = requests
    .flatMap((request) =>
      values(request).map((value) => ({ value, weight: weight?.(request) ?? 1 })),
    )
    .filter((one) => one.weight > 0)
    .toSorted((a, b) => a.value - b.value);
  const whole = weighted.reduce((sum, one) => sum + one.weight, 0);
  if (whole === 0) return NOTHING;
  const upTo: number[] = [];
  for (const one of weighted) upTo.push((upTo.at(-1) ?? 0) + one.weight);
  const at = (q: number): number => {
    // Weights are whole tokens, so the rank among them is exact.
    const rank = nearestRankAt(whole, q);
    return weighted[upTo.findIndex((sum) => sum > rank)]?.value as number;
  };
  return {
    mean: weighted.reduce((sum, one) => sum + one.value * one.weight, 0) / whole,
    ...eachQuantile(at),
  };
}

function eachQuantile<Value>(
  valueAt: (q: number) => Value,
): Readonly<Record<Exclude<Statistic, 'mean'>, Value>> {
  return {
    p50: valueAt(QUANTILES.p50),
    p90: valueAt(QUANTILES.p90),
    p95: valueAt(QUANTILES.p95),
    p99: valueAt(QUANTILES.p99),
  };
}

const NOTHING: Statistics = { mean: null, p50: null, p90: null, p95: null, p99: null };
