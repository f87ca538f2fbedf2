/** Quantiles of one measure over one named population, with what a reader needs to weigh them. */
import {
  EFFECTIVE_QUANTILE_METHOD,
  effectiveQuantileInterval,
  effectiveQuantileRanks,
  minimumSampleSize,
  sortedCopy,
  type TimeBatch,
} from '../stats/index.ts';
import type { TimedRanks } from './gap-pool.ts';
import {
  CONFIDENCE_LEVEL,
  type Inference,
  pooledInference,
  quantileDependence,
  shareUncertainty,
} from './inference.ts';
import { type RankedNumbers, rankedOf } from './number-tally.ts';
import type { QuantileSummary, QuantileValue } from './summary.ts';

/** The quantiles every summary holds. */
export const SUMMARY_QUANTILES: readonly number[] = [0.5, 0.9, 0.95, 0.99, 0.999];

export interface QuantilePopulation {
  readonly window: QuantileSummary['window'];
  readonly population: QuantileSummary['population'];
  /** Members of the population, whether or not they gave a value. */
  readonly populationCount: number;
}

/** Values in the order of their requests, with what tells how they hang together. */
export interface OrderedValues {
  readonly inference: Inference;
  readonly values: readonly number[];
  /** The batch that each value's request was due in. */
  readonly batches: readonly number[];
}

/**
 * Nearest-rank quantiles, mean and extremes of values of which each request gave one. A quantile
 * may be claimed, and has an interval, as far as the effective sample allows.
 */
export function quantileSummary(ordered: OrderedValues, of: QuantilePopulation): QuantileSummary {
  const { inference, values, batches } = ordered;
  const sorted = sortedCopy(values);
  const ranked = rankedOf(sorted);
  return {
    ...withoutQuantiles(ranked, of, ranked.length),
    quantiles: quantilesOf(ranked, (q, value) => {
      const dependence = inference.growing
        ? null
        : quantileDependence(inference, values, batches, value);
      if (dependence === null) return NO_CLAIM;
      const interval = effectiveQuantileInterval(sorted, q, dependence, CONFIDENCE_LEVEL);
      return { claimable: interval !== null, effectiveN: dependence.effectiveN, interval };
    }),
  };
}

/** The population of values of which a request may give many. */
export interface PooledPopulation extends QuantilePopulation {
  /** Requests that gave at least one. */
  readonly contributorCount: number;
  readonly inference: Inference;
}

/**
 * The same of pooled values of which a request may give many (gaps). The slot of time is the cluster:
 * it holds whole answers, and with them what links the gaps of one.
 */
export function pooledQuantileSummary(
  { all, slots }: TimedRanks,
  of: PooledPopulation,
): QuantileSummary {
  const inference = pooledInference(of.inference, of.contributorCount, all.length);
  return {
    ...withoutQuantiles(all, of, of.contributorCount),
    quantiles: quantilesOf(all, (q, value) => {
      const dependence = shareUncertainty(inference, withinOf(slots, value)).dependence;
      if (inference.growing || dependence === null) return NO_CLAIM;
      const ranks = effectiveQuantileRanks(all.length, q, dependence, CONFIDENCE_LEVEL);
      const { effectiveN } = dependence;
      if (ranks === null) return { claimable: false, effectiveN, interval: null };
      const interval = {
        low: all.quantile(ranks.low / all.length),
        high: all.quantile(ranks.high / all.length),
        level: CONFIDENCE_LEVEL,
        method: EFFECTIVE_QUANTILE_METHOD,
        effectiveN: ranks.effectiveN,
      };
      return { claimable: true, effectiveN, interval };
    }),
  };
}

/** Of each slot of time, how many values are at most `limit`. */
export function withinOf(slots: TimedRanks['slots'], limit: number): TimeBatch[] {
  return slots.map((slot) => ({ good: slot.countUpTo(limit), offered: slot.length }));
}

const NO_CLAIM = { claimable: false, effectiveN: null, interval: null } as const;

function withoutQuantiles(
  ranked: RankedNumbers,
  of: QuantilePopulation,
  contributors: number,
): Omit<QuantileSummary, 'quantiles'> {
  const { length: n, sum, min, max } = ranked;
  return {
    rule: 'nearestRank',
    window: of.window,
    population: of.population,
    n,
    coverage: of.populationCount === 0 ? null : contributors / of.populationCount,
    mean: n === 0 ? null : sum / n,
    min,
    max,
  };
}

function quantilesOf(
  ranked: RankedNumbers,
  errorOf: (q: number, value: number) => Omit<QuantileValue, 'q' | 'value'>,
): QuantileValue[] {
  if (ranked.length === 0) return [];
  return SUMMARY_QUANTILES.map((q) => {
    const value = ranked.quantile(q);
    return { q, value, ...errorOf(q, value) };
  });
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
