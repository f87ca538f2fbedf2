/**
 * An interval for a share of requests that holds although they share a queue: the exact binomial
 * one at the effective sample size, after Korn and Graubard.
 *
 * Sources: Korn and Graubard, Survey Methodology 24 (1998); Parker et al., National Center for
 * Health Statistics, Vital and Health Statistics 2-175 (2017), for the least effective size.
 * Coverage on queues and on a simulated engine: docs/statistics.md.
 */
import { assert } from '../base/index.ts';
import {
  type TimeBatch,
  batchMeans,
  type BatchMeans,
  designEffectOf,
  keptWithFewBatches,
} from './batch-means.ts';
import type { ConfidenceInterval } from './confidence-interval.ts';
import { betaQuantile } from './incomplete-beta.ts';

/** Label of an interval from one window. */
export const BATCH_MEANS_METHOD = 'clopper-pearson at effective n, batch means';
/** Label of an interval from replications. */
export const REPLICATIONS_METHOD = 'clopper-pearson at effective n, replications';

/** Below so many effective observations a share has no interval (NCHS). */
export const EFFECTIVE_N_LEAST = 30;
/** Below so many effective misses (or hits) the batches cannot tell their own variance. */
const EFFECTIVE_EVENTS_LEAST = 15;
/** The same for replications, whose variance does not rest on the batches. */
export const REPLICATED_EVENTS_LEAST = 10;
/** Independent looks at the queue below which batches are shorter than what links them. */
const LOOKS_LEAST = 10;
/** Replications below which they are not used. */
export const REPLICATIONS_LEAST = 5;

/** How far the values of a population hang together. */
export interface Dependence {
  /** Requests that are worth one independent one; ≥ 1. */
  readonly designEffect: number;
  /** Independent requests that would say as much. */
  readonly effectiveN: number;
  /** Batches, or replications, that the variance rests on. */
  readonly batchCount: number;
  /** Degrees of freedom of the variance behind them. */
  readonly degrees: number;
  /** Independent looks at the queue that the window holds, by its own memory. */
  readonly looks: number;
  /** Whether there were too few misses to measure the design effect, so that a bound stands in. */
  readonly assumed: boolean;
}

/** A share with what can be said of its error. */
export interface ShareEstimate {
  /** `null` when there is too little data: see `missingFactor`. */
  readonly interval: ConfidenceInterval | null;
  readonly dependence: Dependence;
  /** How many times as long a run an interval would take; 1 when there is one. */
  readonly missingFactor: number;
}

/**
 * The interval for Σ good / Σ offered over consecutive batches of one window.
 *
 * `queueDesignEffect`: requests per independent look at the queue, as {@link queueDesignEffect}
 * gives it. It stands in where misses are too few for batches to measure their own correlation,
 * and limits what a window shorter than a few of those looks may claim.
 *
 * Undefined: `null` with fewer than two batches or nothing offered.
 */
export function shareEstimate(
  batches: readonly TimeBatch[],
  queueDesignEffect: number,
  level = 0.95,
): ShareEstimate | null {
  assert(queueDesignEffect >= 1, `design effect ${queueDesignEffect} is below 1`);
  const means = batchMeans(batches);
  if (means === null) return null;
  const measured = designEffectOf(means);
  return estimateOf(means, measured, measured, queueDesignEffect, BATCH_MEANS_METHOD, level);
}

/**
 * The interval from replications, each given by the batches of its window: the variance is that
 * between replications, so that it holds what differs from start to start as well.
 *
 * Undefined: `null` with fewer than {@link REPLICATIONS_LEAST} or nothing offered.
 */
export function replicatedShareEstimate(
  replications: readonly (readonly TimeBatch[])[],
  queueDesignEffect: number,
  level = 0.95,
): ShareEstimate | null {
  if (replications.length < REPLICATIONS_LEAST) return null;
  const totals = replications.map((batches) => ({
    good: batches.reduce((sum, batch) => sum + batch.good, 0),
    offered: batches.reduce((sum, batch) => sum + batch.offered, 0),
  }));
  const between = batchMeans(totals, { independent: true });
  const within = batchMeans(replications.flat());
  if (between === null || within === null) return null;
  return estimateOf(
    between,
    designEffectOf(between),
    designEffectOf(within),
    queueDesignEffect,
    REPLICATIONS_METHOD,
    level,
  );
}

/** `steady`: the design effect by which events are counted, where it is known better. */
function estimateOf(
  means: BatchMeans,
  measured: number | null,
  steady: number | null,
  queueDesignEffect: number,
  method: string,
  level: number,
): ShareEstimate {
  const eventsLeast =
    method === REPLICATIONS_METHOD ? REPLICATED_EVENTS_LEAST : EFFECTIVE_EVENTS_LEAST;
  const { offered, good, batchCount, degrees } = means;
  const events = Math.min(good, offered - good);
  const assumed = measured === null || steady === null || events / steady < eventsLeast;
  const designEffect = Math.max(measured ?? 1, assumed ? queueDesignEffect : 1);
  const effectiveN = offered / designEffect;
  const looks = offered / queueDesignEffect;
  const missingFactor = Math.max(1, EFFECTIVE_N_LEAST / effectiveN, LOOKS_LEAST / looks);
  return {
    interval:
      missingFactor > 1 ? null : effectiveInterval(means, effectiveN, degrees, method, level),
    dependence: { designEffect, effectiveN, batchCount, degrees, looks, assumed },
    missingFactor,
  };
}

/**
 * Clopper and Pearson's interval at a sample size that need not be whole, made smaller by what is
 * lost in estimating the variance from few batches: (z / t)², as Korn and Graubard have it.
 */
function effectiveInterval(
  { ratio }: BatchMeans,
  effectiveN: number,
  degrees: number,
  method: string,
  level: number,
): ConfidenceInterval {
  const tail = (1 - level) / 2;
  const n = effectiveN * keptWithFewBatches(degrees, level);
  const good = ratio * n;
  return {
    low: ratio === 0 ? 0 : betaQuantile(tail, good, n - good + 1),
    high: ratio === 1 ? 1 : betaQuantile(1 - tail, good + 1, n - good),
    level,
    method,
    effectiveN,
  };
}

/**
 * Requests per independent look at the queue, from the path of its length over equal, short bins:
 * 1 + arrivals during one correlation time of the level, and no fewer than are in flight together.
 * The level is seen all the time, so it tells how long a state lasts even when nothing is missed.
 */
export function queueDesignEffect(levels: ArrayLike<number>, offered: number): number {
  const bins = levels.length;
  if (bins < BATCHES_OF_LEVEL || offered === 0) return 1;
  const batches: TimeBatch[] = [];
  let sum = 0;
  let squares = 0;
  for (let batch = 0; batch < BATCHES_OF_LEVEL; batch += 1) {
    const from = Math.round((batch * bins) / BATCHES_OF_LEVEL);
    const to = Math.round(((batch + 1) * bins) / BATCHES_OF_LEVEL);
    let good = 0;
    for (let bin = from; bin < to; bin += 1) {
      const level = levels[bin] as number;
      good += level;
      squares += level * level;
    }
    sum += good;
    batches.push({ good, offered: to - from });
  }
  const mean = sum / bins;
  const spread = squares / bins - mean * mean;
  const means = batchMeans(batches);
  // A level that never moves, as of a closed loop, gives no time; then only the mean counts.
  const moves = means !== null && spread > 1e-9 * mean * mean;
  const arrivalsPerLook = moves ? (means.variance / spread) * offered : 0;
  return Math.max(1, mean, 1 + arrivalsPerLook);
}

const BATCHES_OF_LEVEL = 32;
