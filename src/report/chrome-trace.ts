/**
 * Stored simulations as a Chrome trace, which Perfetto and chrome://tracing show: every step of
 * every replica as a slice, what ran and waited as counters, a sample of the requests as spans.
 * Source: Trace Event Format (Google, "Trace Event Format", 2016); `ts` and `dur` are microseconds.
 */
import type { RequestRecord, StepLog, StepRow } from '../record/index.ts';
import { stayEndNs } from '../summary/index.ts';
import { stepsByReplica } from './replica-steps.ts';

/** Spans of requests per load point, at most; of more every n-th of the schedule is shown. */
const TRACE_REQUESTS_MAX = 2_000;

type TraceArguments = Readonly<Record<string, string | number>>;

/** One event of the format, as far as it is used here. */
export interface TraceEvent {
  readonly name: string;
  /** Slice, counter, begin and end of an asynchronous span, name of a process or thread. */
  readonly ph: 'X' | 'C' | 'b' | 'e' | 'M';
  readonly pid: number;
  readonly tid: number;
  /** Since the start of the load point. */
  readonly ts: number;
  readonly dur?: number;
  readonly cat?: string;
  /** Shared by the events of one request. */
  readonly id?: string;
  readonly args: TraceArguments;
}

/** One load point. */
export interface TracedPoint {
  readonly label: string;
  readonly steps: StepLog;
  /** Those of the sample, in any order. */
  readonly records: readonly RequestRecord[];
  /** Each stands for so many of the schedule. */
  readonly requestEvery: number;
}

/** How many requests of a schedule one span of the trace stands for. */
export function traceEvery(scheduled: number): number {
  return Math.max(1, Math.ceil(scheduled / TRACE_REQUESTS_MAX));
}

/** The trace as pieces of its JSON text, for it may be longer than a string can be. */
export function* chromeTrace(points: readonly TracedPoint[]): Generator<string> {
  yield '{"displayTimeUnit":"ms","traceEvents":[\n';
  let isFirst = true;
  let nextPid = 1;
  for (const point of points) {
    const { events, processes } = pointEvents(point, nextPid);
    nextPid += processes;
    for (let from = 0; from < events.length; from += EVENTS_PER_PIECE) {
      const lines = events.slice(from, from + EVENTS_PER_PIECE).map((one) => JSON.stringify(one));
      yield `${isFirst ? '' : ',\n'}${lines.join(',\n')}`;
      isFirst = false;
    }
  }
  yield '\n]}\n';
}

const EVENTS_PER_PIECE = 5_000;

/** Names of processes first, then everything in order of time. */
function pointEvents(
  point: TracedPoint,
  firstPid: number,
): { readonly events: readonly TraceEvent[]; readonly processes: number } {
  const names: TraceEvent[] = [];
  const timed: TraceEvent[] = [];
  let pid = firstPid;
  const { cutNs } = point.steps;
  const cut = cutNs === null ? '' : `, steps cut at ${cutNs / 1e9} s`;
  for (const { name, rows } of stepsByReplica(point.steps.rows)) {
    names.push(nameOf('process_name', pid, `${point.label}: ${name}${cut}`));
    names.push(nameOf('thread_name', pid, 'steps'));
    timed.push(...replicaEvents(rows, pid));
    pid += 1;
  }
  const sample = point.requestEvery === 1 ? 'all' : `1 of ${point.requestEvery}`;
  names.push(nameOf('process_name', pid, `${point.label}: requests (${sample})`));
  for (const record of point.records) timed.push(...requestEvents(record, pid));
  return {
    events: [...names, ...timed.sort((a, b) => a.ts - b.ts)],
    processes: pid + 1 - firstPid,
  };
}

function nameOf(name: 'process_name' | 'thread_name', pid: number, text: string): TraceEvent {
  return { name, ph: 'M', pid, tid: 1, ts: 0, args: { name: text } };
}

/** A slice a row; counters where they change, and at the end of each stretch of work. */
function replicaEvents(rows: readonly StepRow[], pid: number): TraceEvent[] {
  const events: TraceEvent[] = [];
  for (const [at, row] of rows.entries()) {
    const { startNs, durationNs, stepCount, prefillTokens, decodeCount } = row;
    const ts = microseconds(startNs);
    const name = prefillTokens === 0 ? 'decode' : decodeCount === 0 ? 'prefill' : 'mixed';
    const args = { steps: stepCount, prefillTokens, decodeSequences: decodeCount };
    const dur = microseconds(durationNs);
    events.push({ name, cat: 'step', ph: 'X', pid, tid: 1, ts, dur, args });
    events.push(...counterEvents(row, rows[at - 1] ?? null, pid));
    const endNs = startNs + durationNs;
    if (rows[at + 1]?.startNs === endNs) continue;
    const idle = { running: 0, waiting: 0 };
    events.push({ name: 'requests', ph: 'C', pid, tid: 1, ts: microseconds(endNs), args: idle });
  }
  return events;
}

function counterEvents(row: StepRow, before: StepRow | null, pid: number): TraceEvent[] {
  const { startNs, runningCount: running, waitingCount: waiting, usedBlockCount } = row;
  const ts = microseconds(startNs);
  const goesOn = before !== null && before.startNs + before.durationNs === startNs;
  const events: TraceEvent[] = [];
  if (!goesOn || before.runningCount !== running || before.waitingCount !== waiting) {
    events.push({ name: 'requests', ph: 'C', pid, tid: 1, ts, args: { running, waiting } });
  }
  if (usedBlockCount !== null && before?.usedBlockCount !== usedBlockCount) {
    const args = { used: usedBlockCount };
    events.push({ name: 'KV blocks', ph: 'C', pid, tid: 1, ts, args });
  }
  return events;
}

/** The span of a request that was sent and ended, with its wait for the first token inside. */
function requestEvents(record: RequestRecord, pid: number): TraceEvent[] {
  const { dispatch, scheduleIndex, timeline, end } = record;
  const endNs = stayEndNs(record);
  if (dispatch.kind !== 'sent' || endNs === null) return [];
  const tokens = timeline?.output.atNs ?? [];
  const firstNs = tokens[0] ?? endNs;
  // Unique in the whole trace, as the format asks.
  const id = `0x${(pid * 2 ** 32 + scheduleIndex).toString(16)}`;
  const span = (name: string, fromNs: number, toNs: number, args: TraceArguments): TraceEvent[] => {
    const common = { name, cat: 'request', id, pid, tid: 1 };
    return [
      { ...common, ph: 'b', ts: microseconds(fromNs), args },
      { ...common, ph: 'e', ts: microseconds(toNs), args: {} },
    ];
  };
  const promptTokens = timeline?.usage?.promptTokens ?? record.promptTokensPlanned ?? 0;
  const about = { end: end?.kind ?? 'unknown', promptTokens, outputTokens: tokens.length };
  const [begin, over] = span(`request ${scheduleIndex}`, dispatch.dispatchedNs, endNs, about);
  const wait = span('to first token', dispatch.dispatchedNs, firstNs, {});
  // The outer one opens first and closes last, where instants are equal.
  return [begin, ...wait, over].filter((event) => event !== undefined);
}

/** Exact to the nanosecond: three decimals. */
function microseconds(ns: number): number {
  return ns / 1e3;
}
