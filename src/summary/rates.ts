/** Rates: counts over one declared window, never a sum or a mean of per-request rates. */
import { secondsFromNs } from '../base/index.ts';
import { type Inference, rateUncertainty } from './inference.ts';
import type { RequestRow } from './request-row.ts';
import type { Rates, Window } from './summary.ts';

/** The part of a load point that windows follow from. */
export interface PointSpan {
  /** Declared end of the warm-up; `null` when none was declared. */
  readonly steadyFromNs: number | null;
  readonly stopNs: number;
}

/** Whether a request planned at this instant belongs to the judged window. */
export function isJudged(plannedNs: number, span: PointSpan): boolean {
  return span.steadyFromNs === null || plannedNs >= span.steadyFromNs;
}

/**
 * First planned to last done, drain inside. A dropped request is done with when it was due, so the
 * window holds every request it counts; to the stop when no request took any time.
 */
export function wallWindow(rows: readonly RequestRow[], span: PointSpan): Window {
  if (rows.length === 0) return { kind: 'wall', fromNs: span.stopNs, toNs: span.stopNs };
  let fromNs = Number.POSITIVE_INFINITY;
  let toNs = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    fromNs = Math.min(fromNs, row.plannedNs);
    toNs = Math.max(toNs, row.endNs ?? row.plannedNs);
  }
  const anythingSent = rows.some((row) => row.endNs !== null);
  const endNs = anythingSent && toNs > fromNs ? toNs : Math.max(span.stopNs, fromNs);
  return { kind: 'wall', fromNs, toNs: endNs };
}

/** From the declared end of the warm-up to the stop; `null` when no warm-up was declared. */
export function steadyWindow(span: PointSpan): Window | null {
  if (span.steadyFromNs === null) return null;
  return {
    kind: 'steady',
    fromNs: span.steadyFromNs,
    toNs: Math.max(span.stopNs, span.steadyFromNs),
  };
}

/** The time load was offered, without the drain: what came of the requests that arrived in it. */
export function cohortWindow(wall: Window, span: PointSpan): Window {
  const fromNs = span.steadyFromNs ?? wall.fromNs;
  return { kind: 'cohort', fromNs, toNs: Math.max(span.stopNs, fromNs) };
}

export interface RatesOptions {
  readonly offeredRps: number | null;
  /** Whether output tokens are those that arrived in the window, as rows counted them. */
  readonly byArrival: boolean;
  readonly inference: Inference;
}

/**
 * The rates of one window. Requests belong to a window by their planned instant. Output tokens of
 * a declared steady window are those that arrived in it, whenever their request was planned; the
 * other windows count the requests' tokens. Only completed requests give tokens; those whose usage is
 * unknown are counted apart, and where nobody's is known there is no token rate. A window without
 * length has no rates.
 */
export function ratesOver(
  rows: readonly RequestRow[],
  window: Window,
  { offeredRps, byArrival, inference }: RatesOptions,
): Rates {
  const due = rows.filter((row) => row.plannedNs >= window.fromNs);
  const sent = due.filter((row) => row.outcome !== 'dropped');
  const completed = due.filter((row) => row.outcome === 'completed');
  const seconds = secondsFromNs(window.toNs - window.fromNs);
  const perSecond = (count: number | null): number | null =>
    count !== null && seconds > 0 ? count / seconds : null;
  const completedEver = byArrival ? rows.filter((row) => row.outcome === 'completed') : completed;
  const isCorrect = (row: RequestRow): boolean => row.correctness === 'met';
  const isGood = (row: RequestRow): boolean => row.verdict === 'good';
  const good = due.filter(isGood);
  const completedRps = perSecond(completed.length);
  const successfulRps = perSecond(due.filter(isCorrect).length);
  const goodRps = perSecond(good.length);
  const outputTokensPerSecond = perSecond(
    knownTotal(completedEver, (row) => (byArrival ? row.outputTokensInSteady : row.outputTokens)),
  );
  const inputTokensPerSecond = perSecond(knownTotal(completed, (row) => row.promptTokens));
  const goodOutputTokensPerSecond = perSecond(knownTotal(good, (row) => row.outputTokens));
  const isDone = (row: RequestRow): boolean => row.outcome === 'completed';
  /** `tokensOf` nothing: the rate counts requests. */
  const over = (
    rate: number | null,
    isCounted: (row: RequestRow) => boolean,
    tokensOf: (row: RequestRow) => number | null = () => 1,
  ) => rateUncertainty(inference, due, (row) => (isCounted(row) ? (tokensOf(row) ?? 0) : 0), rate);
  return {
    window,
    offeredRps,
    realisedOfferedRps: perSecond(due.length),
    admittedRps: perSecond(sent.length),
    completedRps,
    successfulRps,
    goodRps,
    inputTokensPerSecond,
    outputTokensPerSecond,
    outputTokensBasis: byArrival ? 'arrivals' : 'requests',
    goodOutputTokensPerSecond,
    unknownUsageCount: completed.filter((row) => row.outputTokens === null).length,
    intervals: {
      completedRps: over(completedRps, isDone),
      successfulRps: over(successfulRps, isCorrect),
      goodRps: over(goodRps, isGood),
      inputTokensPerSecond: over(inputTokensPerSecond, isDone, (row) => row.promptTokens),
      outputTokensPerSecond: over(outputTokensPerSecond, isDone, (row) => row.outputTokens),
      goodOutputTokensPerSecond: over(goodOutputTokensPerSecond, isGood, (row) => row.outputTokens),
    },
  };
}

/** The sum of what is known; unknown adds nothing and is counted apart. */
export function total(
  rows: readonly RequestRow[],
  valueOf: (row: RequestRow) => number | null,
): number {
  return rows.reduce((sum, row) => sum + (valueOf(row) ?? 0), 0);
}

/** As {@link total}; `null` when there are rows and nothing is known of any: that is not zero. */
function knownTotal(
  rows: readonly RequestRow[],
  valueOf: (row: RequestRow) => number | null,
): number | null {
  const isUnknown = rows.length > 0 && rows.every((row) => valueOf(row) === null);
  return isUnknown ? null : total(rows, valueOf);
}
