/**
 * The client's stamps beside the truth: when the server handed each event to its socket. Both by
 * the machine's monotonic clock, so that their difference is what network and client add.
 */
import { quantile, sortedCopy } from '../stats/index.ts';
import type { RequestRecord, SpanQuantiles } from '../record/index.ts';

/** One output event as the server sent it, a line of its emission log. Instants are monotonic ns. */
export interface SentEvent {
  readonly requestId: string;
  /** Place among the output events of its answer, from 0. */
  readonly index: number;
  /** When it was due. */
  readonly plannedNs: number;
  readonly emittedNs: number;
}

/** What one client read of one answer, on its own clock. */
export interface ReadStream {
  readonly requestId: string;
  readonly plannedNs: number;
  readonly dispatchedNs: number;
  /** Of each output event. */
  readonly atNs: readonly number[];
}

/** What is kept of a record for the comparison; `null` of a request that never left. */
export function readStreamOf({ requestId, dispatch, timeline }: RequestRecord): ReadStream | null {
  if (dispatch.kind !== 'sent' || timeline === null) return null;
  const { plannedNs, dispatchedNs } = dispatch;
  return { requestId, plannedNs, dispatchedNs, atNs: timeline.output.atNs };
}

/** By request: the instant at which each of its output events was sent, in order. */
export function emittedByRequest(
  events: Iterable<SentEvent>,
): ReadonlyMap<string, readonly number[]> {
  const emitted = new Map<string, number[]>();
  for (const { requestId, index, emittedNs } of events) {
    let ofRequest = emitted.get(requestId);
    if (ofRequest === undefined) {
      ofRequest = [];
      emitted.set(requestId, ofRequest);
    }
    ofRequest[index] = emittedNs;
  }
  return emitted;
}

/**
 * Reads an emission log, one event a line. Lines about faults, and one that was cut off at the end,
 * hold no event.
 */
export function* sentEvents(log: string): Generator<SentEvent> {
  for (const line of log.split('\n')) {
    if (!line.startsWith('{"requestId"') || !line.endsWith('}')) continue;
    const event = JSON.parse(line) as Partial<SentEvent>;
    if (event.emittedNs !== undefined) yield event as SentEvent;
  }
}

/** Stamps that an event can be compared with, of those in a span of the client's clock. */
export interface StampAges {
  /** Stamp less sending, in ns, in no order. */
  readonly allNs: readonly number[];
  /** The same of stamps taken outside the client's own stalls. */
  readonly calmNs: readonly number[];
  /** All stamps of the span; those of events that the server does not know are not compared. */
  readonly stampCount: number;
}

export interface StampComparison {
  readonly streams: readonly ReadStream[];
  readonly emitted: ReadonlyMap<string, readonly number[]>;
  /** To add to an instant of the client's clock to get the monotonic one. */
  readonly offsetNs: number;
  /** On the client's clock, the end left out. */
  readonly fromNs: number;
  readonly toNs: number;
  /** How late the client may have been by its own stalls at an instant of its clock; 0 = not at all. */
  readonly stallAt: (atNs: number) => number;
}

export function stampAges(comparison: StampComparison): StampAges {
  const { streams, emitted, offsetNs, fromNs, toNs, stallAt } = comparison;
  const allNs: number[] = [];
  const calmNs: number[] = [];
  let stampCount = 0;
  for (const { requestId, atNs } of streams) {
    const sent = emitted.get(requestId) ?? [];
    for (const [index, stampNs] of atNs.entries()) {
      if (stampNs < fromNs || stampNs >= toNs) continue;
      stampCount += 1;
      const sentNs = sent[index];
      if (sentNs === undefined) continue;
      const ageNs = stampNs + offsetNs - sentNs;
      allNs.push(ageNs);
      if (stallAt(stampNs) === 0) calmNs.push(ageNs);
    }
  }
  return { allNs, calmNs, stampCount };
}

/** How late the starts of a span were. */
export function startLatenessNs(
  streams: readonly ReadStream[],
  { fromNs, toNs }: { readonly fromNs: number; readonly toNs: number },
): number[] {
  return streams
    .filter(({ plannedNs }) => plannedNs >= fromNs && plannedNs < toNs)
    .map(({ plannedNs, dispatchedNs }) => dispatchedNs - plannedNs);
}

/**
 * How late the server was for each instant at which something was due: the first event of it. The
 * others of the same instant wait for their turn, as they would at any server.
 */
export function serverLatenessNs(events: Iterable<SentEvent>): number[] {
  const firstNs = new Map<number, number>();
  for (const { plannedNs, emittedNs } of events) {
    const known = firstNs.get(plannedNs);
    if (known === undefined || emittedNs < known) firstNs.set(plannedNs, emittedNs);
  }
  return [...firstNs].map(([plannedNs, emittedNs]) => Math.max(0, emittedNs - plannedNs));
}

/** Mean number of streams being read, from a start to its last event, over a span. */
export function meanStreams(
  streams: readonly ReadStream[],
  { fromNs, toNs }: { readonly fromNs: number; readonly toNs: number },
): number {
  let insideNs = 0;
  for (const { dispatchedNs, atNs } of streams) {
    const endNs = atNs.at(-1) ?? dispatchedNs;
    insideNs += Math.max(0, Math.min(endNs, toNs) - Math.max(dispatchedNs, fromNs));
  }
  return insideNs / (toNs - fromNs);
}

/** p50, p99 and the largest, by nearest rank. */
export function spanQuantiles(values: readonly number[]): SpanQuantiles {
  if (values.length === 0) return { sampleCount: 0, p50Ns: null, p99Ns: null, maxNs: null };
  const sorted = sortedCopy(values);
  return {
    sampleCount: values.length,
    p50Ns: quantile(sorted, 0.5, 'nearestRank'),
    p99Ns: quantile(sorted, 0.99, 'nearestRank'),
    maxNs: sorted.at(-1) as number,
  };
}
