/**
 * The measures of one request: TTFT, TPOT, gaps, completion and counts, each with the reason when
 * it cannot be had. Definitions are in docs/glossary.md. One record at a time: populations belong
 * to the `summary` room.
 */
import { NS_PER_SECOND } from '../base/index.ts';
import { localOutputTokens } from './counted-tokens.ts';
import { measureOutput, type OutputMeasures, type TokenAlignment } from './output-measures.ts';
import {
  GAPS_NOT_LOGGED,
  type OutputKind,
  type RequestRecord,
  type Timeline,
} from './request-record.ts';
import type { UnmeasuredReason } from './unmeasured-reason.ts';

/** What one request's timeline says. `null` = not observed; `reasons` has the word for why. */
export interface Measures {
  /** First counted output − planned. */
  readonly ttftFromPlannedNs: number | null;
  /** First counted output − dispatched. */
  readonly ttftFromDispatchNs: number | null;
  /** First event of kind `answer`, whatever counts. */
  readonly firstAnswerFromPlannedNs: number | null;
  readonly firstAnswerFromDispatchNs: number | null;
  /** Dispatched − planned: the generator's own lateness. */
  readonly scheduleLagNs: number | null;
  /** Last counted output − dispatched. */
  readonly lastContentNs: number | null;
  /** Done − dispatched, of completed requests. */
  readonly completionNs: number | null;
  readonly completionFromPlannedNs: number | null;
  /** Between consecutive counted events; 0 inside one socket read. Empty below two events. */
  readonly chunkGapsNs: readonly number[];
  readonly zeroGapCount: number;
  /** Mean time per counted token after the first event's. Need not be whole. */
  readonly tpotNs: number | null;
  /** `observed` on a token-aligned stream, else `estimated` from totals. */
  readonly tpotBasis: 'observed' | 'estimated' | null;
  /** The chunk gaps where, and only where, they are token gaps. */
  readonly itlNs: readonly number[] | null;
  readonly alignment: TokenAlignment;
  /** 1 / TPOT, tokens per second. */
  readonly outputPhaseTps: number | null;
  /** Output tokens / completion, tokens per second: a different rate. */
  readonly requestTps: number | null;
  /** All generated tokens, as the server counted them, or of all text where that is judged. */
  readonly outputTokens: number | null;
  /** Output tokens of the kinds that count and were streamed. */
  readonly countedTokens: number | null;
  readonly promptTokens: number | null;
  readonly cachedPromptTokens: number | null;
  /** As the server reported it. */
  readonly queueDelayNs: number | null;
  readonly reasons: MeasureReasons;
}

/** Per measure `null` when it was observed, else why not. */
export interface MeasureReasons {
  /** Of TTFT from either origin and of `lastContentNs`. */
  readonly ttft: UnmeasuredReason | null;
  readonly firstAnswer: UnmeasuredReason | null;
  readonly scheduleLag: UnmeasuredReason | null;
  readonly completion: UnmeasuredReason | null;
  readonly chunkGaps: UnmeasuredReason | null;
  readonly tpot: UnmeasuredReason | null;
  readonly itl: UnmeasuredReason | null;
  readonly outputPhaseTps: UnmeasuredReason | null;
  readonly requestTps: UnmeasuredReason | null;
  readonly outputTokens: UnmeasuredReason | null;
  readonly countedTokens: UnmeasuredReason | null;
  readonly promptTokens: UnmeasuredReason | null;
  readonly cachedPromptTokens: UnmeasuredReason | null;
  readonly queueDelay: UnmeasuredReason | null;
}

/** Which output counts for TTFT, gaps and TPOT: the objective decides. */
export interface MeasureOptions {
  readonly counts: readonly OutputKind[];
}

/** The measures of one record, with the output kinds in `counts` as its counted output. */
export function measureRecord(record: RequestRecord, options: MeasureOptions): Measures {
  const { dispatch, timeline } = record;
  if (dispatch.kind !== 'sent' || timeline === null) return NOT_SENT;
  const { plannedNs, dispatchedNs } = dispatch;
  const output = measureOutput(record, timeline, options.counts);
  const answerNs = record.streamed ? firstAnswerNs(timeline) : null;
  const doneNs = record.end?.kind === 'completed' ? timeline.doneNs : null;
  const completionNs = minus(doneNs, dispatchedNs);
  const { usage, local } = timeline;
  const outputTokens =
    local?.judged === true ? localOutputTokens(local) : (usage?.completionTokens ?? null);
  const observed: Omit<Measures, 'reasons'> = {
    ttftFromPlannedNs: minus(output.firstNs, plannedNs),
    ttftFromDispatchNs: minus(output.firstNs, dispatchedNs),
    firstAnswerFromPlannedNs: minus(answerNs, plannedNs),
    firstAnswerFromDispatchNs: minus(answerNs, dispatchedNs),
    scheduleLagNs: dispatchedNs - plannedNs,
    lastContentNs: minus(output.lastNs, dispatchedNs),
    completionNs,
    completionFromPlannedNs: minus(doneNs, plannedNs),
    chunkGapsNs: output.gapsNs,
    zeroGapCount: output.zeroGapCount,
    tpotNs: output.tpot.ns,
    tpotBasis: output.tpot.basis,
    itlNs: output.alignment === 'aligned' && output.gapsNs.length > 0 ? output.gapsNs : null,
    alignment: output.alignment,
    outputPhaseTps: perSecond(1, output.tpot.ns),
    requestTps: perSecond(outputTokens, completionNs),
    outputTokens,
    countedTokens: output.tokens.tokens,
    promptTokens: usage?.promptTokens ?? null,
    cachedPromptTokens: usage?.cachedPromptTokens ?? null,
    queueDelayNs: record.queueNs,
  };
  return { ...observed, reasons: reasonsOf(record, output, observed) };
}

function reasonsOf(
  record: RequestRecord,
  output: OutputMeasures,
  observed: Omit<Measures, 'reasons'>,
): MeasureReasons {
  const noGaps = record.timeline?.notes.includes(GAPS_NOT_LOGGED) ? 'notReported' : 'singleEvent';
  const chunkGaps = output.unseen ?? unless(observed.chunkGapsNs[0], noGaps);
  const completion = unless(observed.completionNs, 'notCompleted');
  const outputTokens = unless(observed.outputTokens, 'tokensUnknown');
  return {
    ttft: output.unseen,
    firstAnswer: unless(
      observed.firstAnswerFromDispatchNs,
      record.streamed ? 'noAnswer' : 'notStreamed',
    ),
    scheduleLag: null,
    completion,
    chunkGaps,
    tpot: output.tpot.reason,
    itl: chunkGaps ?? unless(observed.itlNs, alignmentReason(record, output)),
    outputPhaseTps: output.tpot.reason ?? unless(observed.outputPhaseTps, 'noTime'),
    requestTps: completion ?? outputTokens ?? unless(observed.requestTps, 'noTime'),
    outputTokens,
    countedTokens: output.tokens.reason,
    promptTokens: unless(observed.promptTokens, 'tokensUnknown'),
    cachedPromptTokens: unless(observed.cachedPromptTokens, 'notReported'),
    queueDelay: unless(observed.queueDelayNs, 'notReported'),
  };
}

/** Why the counted events are not token events. */
function alignmentReason(record: RequestRecord, output: OutputMeasures): UnmeasuredReason {
  if (output.alignment === 'mismatch') return 'countMismatch';
  // A declaration that no count can confirm is not taken on trust.
  return record.oneTokenPerEvent ? (output.tokens.reason ?? 'notAligned') : 'notAligned';
}

function firstAnswerNs(timeline: Timeline): number | null {
  const at = timeline.output.kind.indexOf('answer');
  return timeline.output.atNs[at] ?? null;
}

function minus(atNs: number | null, originNs: number): number | null {
  return atNs === null ? null : atNs - originNs;
}

function perSecond(count: number | null, spanNs: number | null): number | null {
  return count === null || spanNs === null || spanNs <= 0 ? null : (count * NS_PER_SECOND) / spanNs;
}

/** `reason` where there is no value. */
function unless(value: unknown, reason: UnmeasuredReason): UnmeasuredReason | null {
  return value === null || value === undefined ? reason : null;
}

const NOT_SENT: Measures = {
  ttftFromPlannedNs: null,
  ttftFromDispatchNs: null,
  firstAnswerFromPlannedNs: null,
  firstAnswerFromDispatchNs: null,
  scheduleLagNs: null,
  lastContentNs: null,
  completionNs: null,
  completionFromPlannedNs: null,
  chunkGapsNs: [],
  zeroGapCount: 0,
  tpotNs: null,
  tpotBasis: null,
  itlNs: null,
  alignment: 'notAligned',
  outputPhaseTps: null,
  requestTps: null,
  outputTokens: null,
  countedTokens: null,
  promptTokens: null,
  cachedPromptTokens: null,
  queueDelayNs: null,
  reasons: {
    ttft: 'notSent',
    firstAnswer: 'notSent',
    scheduleLag: 'notSent',
    completion: 'notSent',
    chunkGaps: 'notSent',
    tpot: 'notSent',
    itl: 'notSent',
    outputPhaseTps: 'notSent',
    requestTps: 'notSent',
    outputTokens: 'notSent',
    countedTokens: 'notSent',
    promptTokens: 'notSent',
    cachedPromptTokens: 'notSent',
    queueDelay: 'notSent',
  },
};
