/**
 * What a window can say of the service beyond itself: batches of its requests in the order they
 * were due, and how many of them the state of the queue links. See docs/statistics.md.
 */
import { NS_PER_SECOND } from '../base/index.ts';
import type { Uncertainty } from '../slo/index.ts';
import {
  BATCH_COUNT,
  type ConfidenceInterval,
  type Dependence,
  queueDesignEffect,
  rateInterval,
  shareEstimate,
  type TimeBatch,
} from '../stats/index.ts';
import { levelsOver, type Stay } from './in-flight.ts';
import type { RequestRow } from './request-row.ts';

/** Confidence of every interval, and of every "is this enough", in a summary. */
export const CONFIDENCE_LEVEL = 0.95;
/** Bins of the queue's path: fine beside a stay, so that their spread is that of the level. */
const LEVEL_BINS = 256 * BATCH_COUNT;

/** The window that requests are drawn from. */
export interface Inference {
  readonly fromNs: number;
  readonly toNs: number;
  /** Requests due in it. */
  readonly count: number;
  /** Requests per independent look at the queue. ≥ 1. */
  readonly queueDesignEffect: number;
  /** The window has no steady state to speak of: its figures depend on how long it was. */
  readonly growing: boolean;
  /** What a session did is one observation: `null` = every request stands for itself. */
  readonly sessions: SessionStarts | null;
}

/** The requests of a session are dealt to the batch in which it began. */
export interface SessionStarts {
  /** When the session of each place in the schedule began. */
  readonly startNs: ReadonlyMap<number, number>;
  /** Start of the first batch: that of the window, or of the first session with a request in it. */
  readonly fromNs: number;
}

/** What a window of offering says; `rows` are those due in it. */
export function inferenceOf(
  rows: readonly RequestRow[],
  stays: readonly Stay[],
  window: { readonly fromNs: number; readonly toNs: number },
  growing: boolean,
  startNs: SessionStarts['startNs'] | null = null,
): Inference {
  const levels = levelsOver(stays, window, LEVEL_BINS);
  return {
    fromNs: window.fromNs,
    toNs: window.toNs,
    count: rows.length,
    queueDesignEffect: queueDesignEffect(levels, rows.length),
    growing,
    sessions: startNs === null ? null : { startNs, fromNs: firstStart(rows, window, startNs) },
  };
}

function firstStart(
  rows: readonly RequestRow[],
  window: { readonly fromNs: number },
  startNs: SessionStarts['startNs'],
): number {
  return rows.reduce(
    (first, { scheduleIndex }) => Math.min(first, startNs.get(scheduleIndex) ?? first),
    window.fromNs,
  );
}

/** Which batch a request belongs to. */
export function batchOf(
  inference: Inference,
  { plannedNs, scheduleIndex }: Pick<RequestRow, 'plannedNs' | 'scheduleIndex'>,
): number {
  return batchAt(inference, inference.sessions?.startNs.get(scheduleIndex) ?? plannedNs);
}

/** Which batch an instant lies in. */
export function batchAt(inference: Inference, atNs: number): number {
  const fromNs = inference.sessions?.fromNs ?? inference.fromNs;
  // What is all due at one instant is one look at the queue.
  const part = (atNs - fromNs) / Math.max(1, inference.toNs - fromNs);
  return Math.min(BATCH_COUNT - 1, Math.max(0, Math.floor(part * BATCH_COUNT)));
}

/** Counts per batch: `goodOf` a row and whether it is `offered`; both 1 for a plain count. */
export function batchesOf(
  inference: Inference,
  rows: readonly RequestRow[],
  countsOf: (row: RequestRow) => TimeBatch,
): TimeBatch[] {
  const batches = Array.from({ length: BATCH_COUNT }, () => ({ good: 0, offered: 0 }));
  for (const row of rows) {
    const batch = batches[batchOf(inference, row)] as { good: number; offered: number };
    const { good, offered } = countsOf(row);
    batch.good += good;
    batch.offered += offered;
  }
  return batches;
}

/** A share over batches: its interval with what it rests on, or why there is none. */
export function shareUncertainty(inference: Inference, batches: readonly TimeBatch[]): Uncertainty {
  const offered = batches.reduce((sum, batch) => sum + batch.offered, 0);
  const linked = linkedOf(inference, offered);
  const estimate = shareEstimate(batches, linked, CONFIDENCE_LEVEL);
  if (estimate === null) return NOTHING_KNOWN;
  const { interval, dependence, missingFactor } = estimate;
  if (inference.growing) {
    return {
      interval: null,
      dependence,
      noInterval: { reason: 'growingBacklog', moreSeconds: null },
    };
  }
  if (interval !== null) return { interval, dependence, noInterval: null };
  return { interval, dependence, noInterval: tooLittle(inference, missingFactor) };
}

/** Of few among many requests, fewer meet the same state of the queue. */
function linkedOf(inference: Inference, offered: number): number {
  if (inference.count === 0) return 1;
  return 1 + (inference.queueDesignEffect - 1) * Math.min(1, offered / inference.count);
}

/**
 * The same window where a request gives many values, as gaps: a look at the queue holds as many
 * times more of them.
 */
export function pooledInference(
  inference: Inference,
  requestCount: number,
  valueCount: number,
): Inference {
  const each = requestCount === 0 ? 1 : Math.max(1, valueCount / requestCount);
  const queueDesignEffect = each * linkedOf(inference, requestCount);
  return { ...inference, count: valueCount, queueDesignEffect };
}

/** What an interval would take, in seconds more of the same load. */
export function tooLittle(inference: Inference, missingFactor: number): Uncertainty['noInterval'] {
  const seconds = (inference.toNs - inference.fromNs) / NS_PER_SECOND;
  return { reason: 'tooLittleData', moreSeconds: Math.ceil(seconds * (missingFactor - 1)) };
}

/** What can be said of nothing. */
export const NOTHING_KNOWN: Uncertainty = {
  interval: null,
  dependence: null,
  noInterval: { reason: 'tooLittleData', moreSeconds: null },
};

/**
 * The interval of `rate`, by the relative error of what came of each batch's requests; `null` where
 * there are too few, or the backlog grew.
 */
export function rateUncertainty(
  inference: Inference,
  rows: readonly RequestRow[],
  countOf: (row: RequestRow) => number,
  rate: number | null,
): ConfidenceInterval | null {
  if (rate === null || inference.growing || !(inference.toNs > inference.fromNs)) return null;
  // What came when is a matter of time alone.
  const byTime = { ...inference, sessions: null };
  const batches = batchesOf(byTime, rows, (row) => ({ good: countOf(row), offered: 0 }));
  const total = batches.reduce((sum, { good }) => sum + good, 0);
  const interval = rateInterval(batches.map(({ good }) => ({ good, offered: 1 })));
  if (interval === null || total === 0) return null;
  // The window that the rate is published over may hold a drain: the relative error is the same.
  const scale = rate / (total / BATCH_COUNT);
  return { ...interval, low: interval.low * scale, high: interval.high * scale };
}

/** Per quantile of values with their batches: effective size and degrees; `null` = not known. */
export function quantileDependence(
  inference: Inference,
  values: readonly number[],
  batchIndex: readonly number[],
  atQuantile: number,
): Dependence | null {
  const batches = Array.from({ length: BATCH_COUNT }, () => ({ good: 0, offered: 0 }));
  for (let index = 0; index < values.length; index += 1) {
    const batch = batches[batchIndex[index] as number] as { good: number; offered: number };
    batch.offered += 1;
    if ((values[index] as number) <= atQuantile) batch.good += 1;
  }
  return shareEstimate(batches, linkedOf(inference, values.length))?.dependence ?? null;
}
