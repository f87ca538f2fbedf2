/**
 * The limits on one request: TTFT, TPOT, gaps, end-to-end time and output length, each met, missed,
 * not applicable or unknown. An answer that was cut off can still have missed a limit for certain:
 * the wait until the cut is a lower bound of what it would have been.
 */
import type { Measures, RequestRecord, UnmeasuredReason } from '../record/index.ts';
import { sampleQuantile } from '../stats/index.ts';
import type { ObjectiveName, ObjectiveResult } from './judgement.ts';
import { bucketHolding } from './length-bucket.ts';
import type { BucketLimit, RequestObjective } from './objective.ts';

/** One request as the judge sees it. */
export interface JudgedRequest {
  readonly record: RequestRecord;
  readonly measures: Measures;
  readonly completed: boolean;
  /** `null` when neither usage nor the plan told. */
  readonly promptTokens: number | null;
  readonly request: RequestObjective;
}

/** The results of all limits that are set, in a fixed order. */
export function judgeLatency(judged: JudgedRequest): ObjectiveResult[] {
  return [
    judgeTtft,
    judgeFirstAnswer,
    judgeTpot,
    judgeGapMax,
    judgeGapQuantile,
    judgeE2e,
    judgeOutput,
  ]
    .map((judgePart) => judgePart(judged))
    .filter((result) => result !== null);
}

/** The TTFT limit for a prompt; of an unknown length, the strictest one. */
export function ttftLimitNs(limits: readonly BucketLimit[], promptTokens: number | null): number {
  const bucket = promptTokens === null ? null : bucketHolding(promptTokens, limits);
  return bucket?.limitNs ?? Math.min(...limits.map((limit) => limit.limitNs));
}

function judgeTtft(judged: JudgedRequest): ObjectiveResult | null {
  const { measures, request } = judged;
  if (request.ttft === null) return null;
  const limitNs = ttftLimitNs(request.ttft, judged.promptTokens);
  const observedNs =
    request.from === 'planned' ? measures.ttftFromPlannedNs : measures.ttftFromDispatchNs;
  if (observedNs !== null) return compared('ttft', observedNs, limitNs);
  const waitedNs = waitedFrom(judged, startNs(judged));
  if (waitedNs !== null && waitedNs > limitNs) return missedBefore('ttft', limitNs);
  return unknown('ttft', limitNs, measures.reasons.ttft);
}

function judgeFirstAnswer(judged: JudgedRequest): ObjectiveResult | null {
  const { measures, request } = judged;
  const limitNs = request.firstAnswerNs;
  if (limitNs === null) return null;
  const observedNs =
    request.from === 'planned'
      ? measures.firstAnswerFromPlannedNs
      : measures.firstAnswerFromDispatchNs;
  if (observedNs !== null) return compared('firstAnswer', observedNs, limitNs);
  const waitedNs = waitedFrom(judged, startNs(judged));
  if (waitedNs !== null && waitedNs > limitNs) return missedBefore('firstAnswer', limitNs);
  return unknown('firstAnswer', limitNs, measures.reasons.firstAnswer);
}

function judgeTpot(judged: JudgedRequest): ObjectiveResult | null {
  const { measures, request } = judged;
  if (request.tpot === null) return null;
  const { limitNs, basis } = request.tpot;
  // A mean over part of an answer says nothing certain of the mean over all of it.
  if (!judged.completed) return unknown('tpot', limitNs, 'notCompleted');
  if (measures.tpotNs === null) {
    return measures.reasons.tpot === 'oneToken'
      ? notApplicable('tpot', limitNs, 'oneToken')
      : unknown('tpot', limitNs, measures.reasons.tpot);
  }
  if (basis === 'observed' && measures.tpotBasis !== 'observed') {
    return unknown('tpot', limitNs, 'estimatedOnly');
  }
  return compared('tpot', measures.tpotNs, limitNs);
}

function judgeGapMax(judged: JudgedRequest): ObjectiveResult | null {
  const { measures, request } = judged;
  if (request.gapMaxNs === null) return null;
  const limitNs = request.gapMaxNs;
  const gaps = measures.chunkGapsNs;
  const longestNs = gaps.length === 0 ? null : gaps.reduce((a, b) => Math.max(a, b));
  if (longestNs !== null && (judged.completed || longestNs > limitNs)) {
    return compared('gapMax', longestNs, limitNs);
  }
  if (judged.completed) return withoutGaps('gapMax', limitNs, judged);
  const waitedNs = waitedFrom(judged, lastContentNs(judged));
  if (waitedNs !== null && waitedNs > limitNs) return missedBefore('gapMax', limitNs);
  return unknown('gapMax', limitNs, 'notCompleted');
}

function judgeGapQuantile(judged: JudgedRequest): ObjectiveResult | null {
  const { measures, request } = judged;
  if (request.gapQuantile === null) return null;
  const { q, limitNs } = request.gapQuantile;
  if (!judged.completed) return unknown('gapQuantile', limitNs, 'notCompleted');
  if (measures.chunkGapsNs.length === 0) return withoutGaps('gapQuantile', limitNs, judged);
  return compared('gapQuantile', sampleQuantile(measures.chunkGapsNs, q, 'nearestRank'), limitNs);
}

function judgeE2e(judged: JudgedRequest): ObjectiveResult | null {
  const { measures, request } = judged;
  if (request.e2eNs === null) return null;
  const observedNs =
    request.from === 'planned' ? measures.completionFromPlannedNs : measures.completionNs;
  if (observedNs !== null) return compared('e2e', observedNs, request.e2eNs);
  const waitedNs = waitedFrom(judged, startNs(judged));
  if (waitedNs !== null && waitedNs > request.e2eNs) return missedBefore('e2e', request.e2eNs);
  return unknown('e2e', request.e2eNs, measures.reasons.completion);
}

function judgeOutput(judged: JudgedRequest): ObjectiveResult | null {
  const { measures, request } = judged;
  const limit = request.outputTokensMax;
  if (limit === null) return null;
  const tokens = measures.outputTokens;
  if (tokens === null) return unknown('outputTokens', limit, measures.reasons.outputTokens);
  if (!judged.completed && tokens <= limit) return unknown('outputTokens', limit, 'notCompleted');
  return compared('outputTokens', tokens, limit);
}

/** Limits are inclusive. */
function compared(objective: ObjectiveName, observed: number, limit: number): ObjectiveResult {
  return observed <= limit
    ? { objective, state: 'met', observed, limit, reason: null }
    : { objective, state: 'missed', observed, limit, reason: 'overLimit' };
}

/** The limit passed before the answer was cut off. */
function missedBefore(objective: ObjectiveName, limit: number): ObjectiveResult {
  return { objective, state: 'missed', observed: null, limit, reason: 'overLimitWhenCut' };
}

function unknown(
  objective: ObjectiveName,
  limit: number,
  reason: UnmeasuredReason | 'estimatedOnly' | null,
): ObjectiveResult {
  return { objective, state: 'unknown', observed: null, limit, reason: reason ?? 'unknown' };
}

function notApplicable(
  objective: ObjectiveName,
  limit: number,
  reason: UnmeasuredReason,
): ObjectiveResult {
  return { objective, state: 'notApplicable', observed: null, limit, reason };
}

/** A complete answer in one event had no gap to wait through; one that was not seen may have. */
function withoutGaps(
  objective: ObjectiveName,
  limit: number,
  { measures }: JudgedRequest,
): ObjectiveResult {
  const reason = measures.reasons.chunkGaps;
  return reason === 'singleEvent' || reason === 'oneToken'
    ? notApplicable(objective, limit, reason)
    : unknown(objective, limit, reason);
}

/** Where the objective's clock starts. */
function startNs({ record, request }: JudgedRequest): number | null {
  if (record.dispatch.kind !== 'sent') return null;
  return request.from === 'planned' ? record.dispatch.plannedNs : record.dispatch.dispatchedNs;
}

function lastContentNs({ record, measures }: JudgedRequest): number | null {
  if (record.dispatch.kind !== 'sent' || measures.lastContentNs === null) return null;
  return record.dispatch.dispatchedNs + measures.lastContentNs;
}

/** From an instant to the moment the client gave up waiting; `null` when it did not give up. */
function waitedFrom({ record }: JudgedRequest, fromNs: number | null): number | null {
  if (fromNs === null || record.end === null) return null;
  if (record.end.kind === 'cancelled') return record.end.atNs - fromNs;
  return record.end.kind === 'timedOut' ? record.end.deadlineNs - fromNs : null;
}
