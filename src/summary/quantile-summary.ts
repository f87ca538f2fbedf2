/** Quantiles of one measure over one named population, with what a reader needs to weigh them. */
import { minimumSampleSize, orderStatisticInterval, quantile, sortedCopy } from '../stats/index.ts';
import type { QuantileSummary, QuantileValue } from './summary.ts';

/** The quantiles every summary holds. */
export const SUMMARY_QUANTILES: readonly number[] = [0.5, 0.9, 0.95, 0.99, 0.999];

/** Confidence of every interval and of every "is this enough" here. */
export const CONFIDENCE_LEVEL = 0.95;

export interface QuantilePopulation {
  readonly window: QuantileSummary['window'];
  readonly population: QuantileSummary['population'];
  /** Members of the population, whether or not they gave a value. */
  readonly populationCount: number;
  /** Members that gave values, where one may give many (gaps). Default: one value each. */
  readonly contributorCount?: number;
}

/**
 * Nearest-rank quantiles, mean and extremes of `values`. Pooled values (several of one request)
 * are not independent draws under any reading: they get no interval, and the requests that gave
 * them, not the values, decide whether a quantile may be claimed.
 */
export function quantileSummary(
  values: ArrayLike<number>,
  of: QuantilePopulation,
): QuantileSummary {
  return sortedQuantileSummary(sortedCopy(values), of);
}

/** As {@link quantileSummary}, of values already ascending: pools of gaps are sorted only once. */
export function sortedQuantileSummary(
  sorted: Float64Array,
  of: QuantilePopulation,
): QuantileSummary {
  const n = sorted.length;
  const pooled = of.contributorCount !== undefined;
  const contributors = of.contributorCount ?? n;
  // Summed in sorted order, so that the order of the records cannot show in the last digit.
  const sum = sorted.reduce((partial, value) => partial + value, 0);
  return {
    rule: 'nearestRank',
    window: of.window,
    population: of.population,
    n,
    coverage: of.populationCount === 0 ? null : contributors / of.populationCount,
    mean: n === 0 ? null : sum / n,
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
    quantiles:
      n === 0
        ? []
        : SUMMARY_QUANTILES.map((q) => ({
            q,
            value: quantile(sorted, q, 'nearestRank'),
            claimable: isEnoughFor(q, contributors),
            interval: pooled ? null : orderStatisticInterval(sorted, q, CONFIDENCE_LEVEL),
          })),
  };
}

/**
 * Whether `n` independent values can support a one-sided claim about the `q`-quantile (or about a
 * share of `q`): 59 for 95 %, 299 for 99 %. No finite sample proves a share of exactly 0 or 1, so
 * there one value is enough to report what was seen.
 */
export function isEnoughFor(q: number, n: number): boolean {
  return n >= (q > 0 && q < 1 ? minimumSampleSize(q, CONFIDENCE_LEVEL) : 1);
}

/** The value of one quantile; `null` when nothing was observed. */
export function quantileOf(summary: QuantileSummary, q: number): QuantileValue | null {
  return summary.quantiles.find((entry) => entry.q === q) ?? null;
}
