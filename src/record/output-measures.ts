/** The part of a request's measures that comes from its counted output events. */
import {
  tokensFromLocal,
  tokensFromUsage,
  tokensToldPerEvent,
  type TokenCount,
} from './counted-tokens.ts';
import {
  GAPS_NOT_LOGGED,
  type OutputKind,
  type RequestRecord,
  type Timeline,
} from './request-record.ts';
import type { UnmeasuredReason } from './unmeasured-reason.ts';

/**
 * Whether one counted event is one token: `aligned` when declared or told event by event *and* the
 * totals agree; `mismatch` when the totals contradict it. Equal totals alone are `notAligned`.
 */
export type TokenAlignment = 'aligned' | 'notAligned' | 'mismatch';

/** TPOT with its basis, or why there is none. */
export type Tpot =
  | { readonly ns: number; readonly basis: 'observed' | 'estimated'; readonly reason: null }
  | { readonly ns: null; readonly basis: null; readonly reason: UnmeasuredReason };

export interface OutputMeasures {
  /** Arrival of the first and of the last counted event; `null` when none was seen to arrive. */
  readonly firstNs: number | null;
  readonly lastNs: number | null;
  readonly gapsNs: readonly number[];
  readonly zeroGapCount: number;
  readonly tokens: TokenCount;
  readonly alignment: TokenAlignment;
  readonly tpot: Tpot;
  /** Why there is no first or last instant; `null` when there is. */
  readonly unseen: 'notStreamed' | 'noCountedOutput' | null;
}

/** Measures of the events whose kind is in `counts`. */
export function measureOutput(
  record: RequestRecord,
  timeline: Timeline,
  counts: readonly OutputKind[],
): OutputMeasures {
  const { output, usage, local } = timeline;
  const counted = countedEvents(timeline, counts);
  // One source for a whole run: what a server tells now and then is not mixed in.
  const isLocal = local?.judged === true;
  const told = isLocal ? null : tokensToldPerEvent(output, counted);
  const reported = isLocal
    ? tokensFromLocal(output, local, counts)
    : tokensFromUsage(output, usage, counts);
  // What the server said of each event is exact for these events; its total also holds the end
  // token, whose arrival is no content.
  const tokens: TokenCount =
    told === null ? reported : { tokens: told.reduce((a, b) => a + b, 0), reason: null };
  if (!record.streamed || counted.length === 0) {
    const unseen = record.streamed ? 'noCountedOutput' : 'notStreamed';
    return { ...NOTHING_SEEN, tokens, unseen, tpot: noTpot(unseen) };
  }
  const gapsNs = timeline.notes.includes(GAPS_NOT_LOGGED) ? [] : gapsBetween(output.atNs, counted);
  const alignment = alignmentOf(record, counted, told, reported);
  return {
    firstNs: output.atNs[counted[0] as number] as number,
    lastNs: output.atNs[counted.at(-1) as number] as number,
    gapsNs,
    zeroGapCount: gapsNs.filter((gapNs) => gapNs === 0).length,
    tokens,
    alignment,
    tpot: tpotOf(timeline, counted, tokens, alignment),
    unseen: null,
  };
}

const NOTHING_SEEN = {
  firstNs: null,
  lastNs: null,
  gapsNs: [],
  zeroGapCount: 0,
  alignment: 'notAligned',
} as const;

/** Indices of the counted events. Kinds come in long stretches. */
function countedEvents(timeline: Timeline, counts: readonly OutputKind[]): number[] {
  const { kind: kinds } = timeline.output;
  const indices: number[] = [];
  let last: OutputKind | null = null;
  let isCounted = false;
  for (const [index, kind] of kinds.entries()) {
    if (kind !== last) isCounted = counts.includes(kind);
    last = kind;
    if (isCounted) indices.push(index);
  }
  return indices;
}

/** Time between each event and the one before it. */
function gapsBetween(atNs: readonly number[], events: readonly number[]): number[] {
  const gapsNs: number[] = [];
  for (let index = 1; index < events.length; index += 1) {
    const at = atNs[events[index] as number] as number;
    gapsNs.push(at - (atNs[events[index - 1] as number] as number));
  }
  return gapsNs;
}

function alignmentOf(
  record: RequestRecord,
  counted: readonly number[],
  told: readonly number[] | null,
  reported: TokenCount,
): TokenAlignment {
  const events = counted.length;
  const toldOneEach = told?.every((tokens) => tokens === 1) ?? false;
  if (!record.oneTokenPerEvent && !toldOneEach) return 'notAligned';
  if (told !== null && !toldOneEach) return 'mismatch';
  if (reported.tokens === null) return toldOneEach ? 'aligned' : 'notAligned';
  // Told event by event, a total one higher is the end token, which has no content.
  const agrees = reported.tokens === events || (toldOneEach && reported.tokens === events + 1);
  return agrees ? 'aligned' : 'mismatch';
}

function tpotOf(
  timeline: Timeline,
  counted: readonly number[],
  count: TokenCount,
  alignment: TokenAlignment,
): Tpot {
  const { atNs, tokens, readId } = timeline.output;
  const first = counted[0] as number;
  const last = counted.at(-1) as number;
  if (count.tokens === 1 && first === last) return noTpot('oneToken');
  if (first === last) return noTpot('singleEvent');
  if (count.tokens === null) return noTpot(count.reason);
  const laterTokens = count.tokens - (tokens[first] ?? 1);
  // Several events cannot hold one token or none; a wrong count must not pass as "one token".
  if (laterTokens <= 0) return noTpot('tokensInconsistent');
  if (readId[first] === readId[last]) return noTpot('singleRead');
  const spanNs = (atNs[last] as number) - (atNs[first] as number);
  return {
    ns: spanNs / laterTokens,
    basis: alignment === 'aligned' ? 'observed' : 'estimated',
    reason: null,
  };
}

function noTpot(reason: UnmeasuredReason): Tpot {
  return { ns: null, basis: null, reason };
}
