/**
 * What is kept of one record, so that a run of any length streams through: a few numbers a
 * request, never its events.
 */
import { assert, assertNever } from '../base/index.ts';
import type { Measures, RequestRecord, Timeline } from '../record/index.ts';
import {
  outputBucketOf,
  type Judgement,
  type ObjectiveName,
  type ObjectiveResult,
  type Outcome,
  type PromptBucket,
  type Verdict,
} from '../slo/index.ts';
import type { PointSpan } from './rates.ts';
import type { ClientDoubt } from './validity-doubt.ts';

/** One objective of one request, without the numbers. */
export interface ObjectiveState {
  readonly objective: ObjectiveName;
  readonly state: ObjectiveResult['state'];
  /** Machine word; `null` when met. */
  readonly reason: string | null;
}

/** A request that was due. Instants in nanoseconds since run start; `null` = not observed. */
export interface RequestRow {
  readonly scheduleIndex: number;
  readonly attempt: number;
  /** Tries that the row joins into one request; `null` = it stands for its one record. */
  readonly joinedTries: number | null;
  readonly outcome: Exclude<Outcome, 'notReached'>;
  readonly verdict: Verdict;
  /** `tpot:tokensUnknown`: the first part that left it unjudged; `null` unless it is. */
  readonly unjudgedReason: string | null;
  /** What the client's own error could make of it. */
  readonly doubt: ClientDoubt;
  /** `met`: completed and correct, whatever the latency. */
  readonly correctness: 'met' | 'missed' | 'unknown';
  readonly objectives: readonly ObjectiveState[];
  readonly dropReason: string | null;
  readonly failure: string | null;
  /** `null` where the server gave none. */
  readonly finishReason: string | null;

  readonly promptBucket: PromptBucket;
  readonly promptTokensFrom: Judgement['promptTokensFrom'];
  readonly outputBucket: string;
  readonly connection: 'cold' | 'reused' | 'none';
  /** Address that answered, without the port; `null` when there was none. */
  readonly address: string | null;
  readonly tenant: string | null;
  readonly class: string | null;

  readonly plannedNs: number;
  readonly dispatchedNs: number | null;
  /** The end of its stay: done, or the last instant seen of one that never finished. */
  readonly endNs: number | null;
  /** When the generator ceased to count it; `null` when a failure left no instant for that. */
  readonly releasedNs: number | null;
  /** In flight when it was dispatched by the generator's count, itself included. */
  readonly inFlightCount: number | null;

  readonly ttftFromPlannedNs: number | null;
  readonly ttftFromDispatchNs: number | null;
  readonly firstAnswerFromPlannedNs: number | null;
  readonly firstAnswerFromDispatchNs: number | null;
  readonly tpotNs: number | null;
  readonly tpotBasis: 'observed' | 'estimated' | null;
  /** Declared or told as one token per event, which its counts contradict. */
  readonly alignmentBroken: boolean;
  /** Written to a kept-alive connection that the server had closed: no byte came back. */
  readonly lostOnReuse: boolean;
  readonly completionNs: number | null;
  readonly completionFromPlannedNs: number | null;
  readonly queueNs: number | null;
  readonly gapCount: number;
  readonly zeroGapCount: number;

  readonly promptTokens: number | null;
  readonly cachedPromptTokens: number | null;
  readonly outputTokens: number | null;
  readonly outputTokensMax: number | null;
  /** Of `outputTokens`, those that arrived in the steady window. Need not be whole. */
  readonly outputTokensInSteady: number | null;
}

/** What the judge said of one record, and how far the client's own error could change it. */
export interface RowJudgements {
  readonly asked: Judgement;
  readonly doubt: ClientDoubt;
  readonly joinedTries: number | null;
}

/** The row of a record that was due. */
export function requestRow(
  record: RequestRecord,
  measures: Measures,
  judgements: RowJudgements,
  span: PointSpan,
): RequestRow {
  const { asked } = judgements;
  const { outcome } = asked;
  assert(outcome !== 'notReached', `request ${record.requestId} was never due`);
  const { dispatch, timeline, end } = record;
  return {
    scheduleIndex: record.scheduleIndex,
    attempt: record.attempt,
    joinedTries: judgements.joinedTries,
    outcome,
    verdict: asked.verdict,
    unjudgedReason: asked.verdict === 'unjudged' ? asked.reason : null,
    doubt: judgements.doubt,
    correctness: correctnessOf(asked),
    objectives: sharedStates(asked.objectives),
    dropReason: dispatch.kind === 'dropped' ? dispatch.reason : null,
    failure: end?.kind === 'failed' ? end.failure : null,
    finishReason: timeline?.finishReason ?? null,
    promptBucket: asked.promptBucket,
    promptTokensFrom: asked.promptTokensFrom,
    outputBucket: outputBucketOf(measures.outputTokens),
    connection: connectionOf(timeline),
    address: timeline?.peer?.replace(/:\d+$/, '') ?? null,
    tenant: record.labels.tenant,
    class: record.labels.class,
    plannedNs: dispatch.plannedNs ?? 0,
    dispatchedNs: dispatch.kind === 'sent' ? dispatch.dispatchedNs : null,
    endNs: stayEndNs(record),
    releasedNs: releaseOf(record),
    inFlightCount: record.inFlightAtDispatch,
    ttftFromPlannedNs: measures.ttftFromPlannedNs,
    ttftFromDispatchNs: measures.ttftFromDispatchNs,
    firstAnswerFromPlannedNs: measures.firstAnswerFromPlannedNs,
    firstAnswerFromDispatchNs: measures.firstAnswerFromDispatchNs,
    tpotNs: measures.tpotNs,
    tpotBasis: measures.tpotBasis,
    alignmentBroken: measures.alignment === 'mismatch',
    lostOnReuse: record.timeline?.notes.includes('reusedConnectionLost') ?? false,
    completionNs: measures.completionNs,
    completionFromPlannedNs: measures.completionFromPlannedNs,
    queueNs: measures.queueDelayNs,
    gapCount: measures.chunkGapsNs.length,
    zeroGapCount: measures.zeroGapCount,
    promptTokens: measures.promptTokens,
    cachedPromptTokens: measures.cachedPromptTokens,
    outputTokens: measures.outputTokens,
    outputTokensMax: record.outputTokensMax,
    outputTokensInSteady: tokensArrivedIn(record, measures.outputTokens, span),
  };
}

/** A run knows few combinations of states, so each is kept once. */
const STATES = new Map<string, readonly ObjectiveState[]>();

function sharedStates(results: readonly ObjectiveResult[]): readonly ObjectiveState[] {
  let key = '';
  for (const { objective, state, reason } of results) key += `${objective}:${state}:${reason},`;
  const known = STATES.get(key);
  if (known !== undefined) return known;
  const states = results.map(({ objective, state, reason }) => ({ objective, state, reason }));
  STATES.set(key, states);
  return states;
}

/** What was never sent, or refused, was not correct; what the run cut off may have become so. */
function correctnessOf(judgement: Judgement): RequestRow['correctness'] {
  const state = judgement.objectives.find((result) => result.objective === 'correctness')?.state;
  return state === 'met' || state === 'unknown' ? state : 'missed';
}

function connectionOf(timeline: Timeline | null): RequestRow['connection'] {
  if (timeline === null || timeline.reused === null) return 'none';
  return timeline.reused ? 'reused' : 'cold';
}

/** When the stay ended; of a failure, the last instant that was seen of it; `null` if never sent. */
export function stayEndNs(record: RequestRecord): number | null {
  const { dispatch, timeline, end } = record;
  if (dispatch.kind !== 'sent' || timeline === null || end === null) return null;
  switch (end.kind) {
    case 'completed':
      return timeline.doneNs ?? lastSeen(timeline, dispatch.dispatchedNs);
    case 'failed':
      return lastSeen(timeline, dispatch.dispatchedNs);
    case 'timedOut':
      return end.deadlineNs;
    case 'cancelled':
      return end.atNs;
    default:
      return assertNever(end);
  }
}

/** When a request that was sent was out of flight: answered, and its body read to the end. */
export function releaseOf(record: RequestRecord): number | null {
  const { timeline, end } = record;
  if (timeline === null || end === null) return null;
  if (end.kind === 'failed') return timeline.bodyEndNs ?? timeline.doneNs;
  const endNs = stayEndNs(record);
  return endNs === null ? null : Math.max(endNs, timeline.bodyEndNs ?? endNs);
}

function lastSeen(timeline: Timeline, dispatchedNs: number): number {
  return Math.max(
    dispatchedNs,
    timeline.connectedNs ?? 0,
    timeline.tlsDoneNs ?? 0,
    timeline.writtenNs ?? 0,
    timeline.firstByteNs ?? 0,
    timeline.output.atNs.at(-1) ?? 0,
    timeline.usageAtNs ?? 0,
    timeline.finishNs ?? 0,
    timeline.doneNs ?? 0,
    timeline.bodyEndNs ?? 0,
  );
}

/**
 * Of the answer's tokens, those that arrived from the end of the warm-up to the stop. Per event
 * where the server counted every event; else the total times the share of output events that
 * arrived there: no instant is invented for a token, only the total is shared out.
 */
function tokensArrivedIn(
  record: RequestRecord,
  outputTokens: number | null,
  span: PointSpan,
): number | null {
  if (outputTokens === null || record.timeline === null || span.steadyFromNs === null) return null;
  const fromNs = span.steadyFromNs;
  const arrived = (atNs: number): boolean => atNs >= fromNs && atNs < span.stopNs;
  const { atNs, tokens } = record.timeline.output;
  if (!record.streamed || atNs.length === 0) {
    const doneNs = record.timeline.doneNs;
    return doneNs !== null && arrived(doneNs) ? outputTokens : 0;
  }
  const inside = atNs.filter(arrived).length;
  const perEvent = tokens.reduce<number | null>(
    (sum, count, index) =>
      sum === null || count === null ? null : sum + (arrived(atNs[index] as number) ? count : 0),
    0,
  );
  return perEvent ?? (outputTokens * inside) / atNs.length;
}
