/**
 * One request that was sent, with every instant that some load generator counts from or to. What a
 * tool makes of it is in that tool's file.
 */
import {
  GAPS_NOT_LOGGED,
  measureRecord,
  type RequestRecord,
  type Timeline,
} from '../record/index.ts';
import { judgeMeasured, type Objective, type Outcome, type Verdict } from '../slo/index.ts';
import { stayEndNs } from '../summary/index.ts';

/** Instants in nanoseconds since run start; `null` = not observed. */
export interface SeenRequest {
  readonly outcome: Exclude<Outcome, 'dropped' | 'notReached'>;
  readonly verdict: Verdict;
  /** The answer ended without end mark and finish reason: many tools do not notice. */
  readonly isTruncated: boolean;
  /** The server said in the stream of a 200 that it failed. */
  readonly isStreamError: boolean;
  readonly plannedNs: number;
  /** The client took the request up, before it connected. */
  readonly sentNs: number;
  /** The connection could carry the head: `sentNs` where an open one was used. */
  readonly headNs: number;
  /** First and last output event of any kind. */
  readonly firstNs: number | null;
  readonly lastNs: number | null;
  /** First event that is no tool call. */
  readonly firstTextNs: number | null;
  /** First and last event of the answer itself. */
  readonly firstAnswerNs: number | null;
  readonly lastAnswerNs: number | null;
  readonly usageAtNs: number | null;
  /** End mark, or end of the body. */
  readonly doneNs: number | null;
  /** Last instant seen of it, whatever became of it. */
  readonly endNs: number;
  /** Between output events of any kind; `null` where the source has only first and last. */
  readonly gapsNs: readonly number[] | null;
  readonly eventCount: number;
  /** Of the first output event, as the server told; `null` mostly. */
  readonly firstEventTokens: number | null;
  /** All generated tokens by the server's usage. */
  readonly outputTokens: number | null;
  readonly promptTokens: number | null;
  readonly hasToolCalls: boolean;
  /** goodput's own measures of it. */
  readonly own: OwnMeasures;
}

export interface OwnMeasures {
  /** First counted output − planned, and − dispatched. */
  readonly ttftNs: number | null;
  readonly ttftFromDispatchNs: number | null;
  readonly tpotNs: number | null;
  readonly gapsNs: readonly number[];
  /** Done − dispatched. */
  readonly completionNs: number | null;
}

/** The request as tools see it; `null` for one that was never sent, of which no tool knows. */
export function seenRequest(record: RequestRecord, objective: Objective): SeenRequest | null {
  const { dispatch, timeline, end } = record;
  if (dispatch.kind !== 'sent' || timeline === null || end === null) return null;
  const measures = measureRecord(record, { counts: objective.request.counts });
  const { outcome, verdict } = judgeMeasured(record, measures, objective);
  if (outcome === 'dropped' || outcome === 'notReached') return null;
  const { atNs, kind, tokens } = timeline.output;
  const streamedAtNs = record.streamed ? atNs : [];
  const firstText = kind.findIndex((one) => one !== 'toolCall');
  const failure = end.kind === 'failed' ? end.failure : null;
  return {
    outcome,
    verdict,
    isTruncated: failure === 'truncated',
    isStreamError: failure === 'serverError' && record.httpStatus === 200,
    plannedNs: dispatch.plannedNs,
    sentNs: dispatch.dispatchedNs,
    headNs: headNs(timeline, dispatch.dispatchedNs),
    firstNs: streamedAtNs[0] ?? null,
    lastNs: streamedAtNs.at(-1) ?? null,
    firstTextNs: streamedAtNs[firstText] ?? null,
    firstAnswerNs: streamedAtNs[kind.indexOf('answer')] ?? null,
    lastAnswerNs: streamedAtNs[kind.lastIndexOf('answer')] ?? null,
    usageAtNs: timeline.usageAtNs,
    doneNs: timeline.doneNs,
    endNs: stayEndNs(record) ?? dispatch.dispatchedNs,
    gapsNs: gapsOf(timeline, streamedAtNs, measures.chunkGapsNs),
    eventCount: streamedAtNs.length,
    firstEventTokens: tokens[0] ?? null,
    outputTokens: measures.outputTokens,
    promptTokens: measures.promptTokens,
    hasToolCalls: kind.includes('toolCall'),
    own: {
      ttftNs: measures.ttftFromPlannedNs,
      ttftFromDispatchNs: measures.ttftFromDispatchNs,
      tpotNs: measures.tpotNs,
      gapsNs: measures.chunkGapsNs,
      completionNs: measures.completionNs,
    },
  };
}

/** A connection opened for this request has to be ready before anything is written to it. */
function headNs({ connectedNs, tlsDoneNs }: Timeline, sentNs: number): number {
  return Math.max(sentNs, connectedNs ?? sentNs, tlsDoneNs ?? sentNs);
}

/** Where every event counts, the gaps are those already measured. */
function gapsOf(
  { notes }: Timeline,
  atNs: readonly number[],
  counted: readonly number[],
): readonly number[] | null {
  if (notes.includes(GAPS_NOT_LOGGED)) return null;
  if (counted.length === Math.max(0, atNs.length - 1)) return counted;
  return atNs.slice(1).map((at, index) => at - (atNs[index] as number));
}
