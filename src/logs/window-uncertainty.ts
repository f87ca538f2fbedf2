/**
 * How sure the attainment of a stretch of a log is. Requests share a queue, so slices of time, not
 * requests, are what an interval counts: batch means, with the design effect that they show. Where
 * misses are too few to show one, that of all windows together stands in. docs/statistics.md has how
 * well it holds.
 */
import type { Uncertainty } from '../slo/index.ts';
import {
  BATCH_COUNT,
  batchMeans,
  REPLICATED_EVENTS_LEAST,
  shareEstimate,
  type TimeBatch,
} from '../stats/index.ts';
import type { SliceCounts } from './slice-counts.ts';

/** Fewer batches than this cannot tell their own variance. */
const LEAST_BATCHES = 10;

/** The slices of one window, or of all time, as consecutive batches; those without traffic left out. */
export function timeBatches(slices: readonly SliceCounts[]): TimeBatch[] {
  const byTime = new Map<number, { good: number; offered: number }>();
  for (const { fromUs, good, bad, unjudged } of slices) {
    const batch = byTime.get(fromUs) ?? { good: 0, offered: 0 };
    batch.good += good;
    batch.offered += good + bad + unjudged;
    byTime.set(fromUs, batch);
  }
  return [...byTime]
    .toSorted(([a], [b]) => a - b)
    .map(([, batch]) => batch)
    .filter(({ offered }) => offered > 0);
}

/**
 * The interval of Σ good / Σ offered over the batches of {@link timeBatches}.
 * `standIn`: requests that are worth one, where misses are too few to show it; at least 1.
 */
export function uncertaintyOf(batches: readonly TimeBatch[], standIn: number): Uncertainty {
  const estimate =
    batches.length < LEAST_BATCHES ? null : shareEstimate(fewBatches(batches), standIn);
  const interval = estimate?.interval ?? null;
  return {
    interval,
    dependence: estimate?.dependence ?? null,
    noInterval: interval === null ? { reason: 'tooLittleData', moreSeconds: null } : null,
  };
}

/**
 * Neighbours put together until at most {@link BATCH_COUNT} are left: what links requests over hours
 * is seen between long batches, not between a thousand short ones.
 */
function fewBatches(batches: readonly TimeBatch[]): readonly TimeBatch[] {
  const length = Math.ceil(batches.length / BATCH_COUNT);
  if (length <= 1) return batches;
  return Array.from({ length: Math.ceil(batches.length / length) }, (_, at) =>
    batches.slice(at * length, (at + 1) * length).reduce((sum, { good, offered }) => ({
      good: sum.good + good,
      offered: sum.offered + offered,
    })),
  );
}

/**
 * Requests that are worth one independent request, from how slices vary inside their windows, all
 * windows together. With too few misses even so: the requests of a slice, as if all that happens in
 * one slice happened together. That is a bound as long as slices outlast what links requests.
 */
export function standInDesignEffect(windows: readonly (readonly TimeBatch[])[]): number {
  let spread = 0;
  let independent = 0;
  let misses = 0;
  let offered = 0;
  let slices = 0;
  for (const batches of windows) {
    slices += batches.length;
    offered += batches.reduce((sum, batch) => sum + batch.offered, 0);
    const means = batches.length < LEAST_BATCHES ? null : batchMeans(batches);
    if (means === null) continue;
    spread += means.variance * means.offered ** 2;
    independent += means.offered * means.ratio * (1 - means.ratio);
    misses += Math.min(means.good, means.offered - means.good);
  }
  const measured = Math.max(1, independent === 0 ? 1 : spread / independent);
  if (misses / measured >= REPLICATED_EVENTS_LEAST) return measured;
  return Math.max(measured, slices === 0 ? 1 : offered / slices);
}
