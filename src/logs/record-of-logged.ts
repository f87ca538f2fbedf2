/** A logged request as the one record, so that the one judge judges it. */
import { assertNever, NS_PER_US } from '../base/index.ts';
import {
  GAPS_NOT_LOGGED,
  NO_OUTPUT,
  NO_TIMELINE,
  RECORD_SCHEMA_VERSION,
  type OutputEvents,
  type RequestEnd,
  type RequestRecord,
} from '../record/index.ts';
import type { LoggedRequest } from './logged-request.ts';

/**
 * The record of one row. Its instants count from `originUs` (microseconds since 1970), which is not
 * after the row's start.
 *
 * A log with two instants gives two output events, the first token and the rest at the end: TTFT,
 * TPOT and completion are exact to the log, and the note `gapsNotLogged` keeps the one gap between
 * them from being taken for a chunk gap.
 */
export function recordOfLogged(
  row: LoggedRequest,
  place: { readonly index: number; readonly originUs: number },
): RequestRecord {
  const startNs = ((row.startUs ?? place.originUs) - place.originUs) * NS_PER_US;
  const output = outputOf(row, startNs);
  // Rounded stamps may put the end a little before the first token.
  const doneNs = row.e2eNs === null ? null : startNs + Math.max(row.e2eNs, row.ttftNs ?? 0);
  const id = row.requestId ?? `row-${place.index}`;
  return {
    schemaVersion: RECORD_SCHEMA_VERSION,
    source: 'imported',
    clock: row.clock,
    experimentHash: 'imported',
    pointIndex: 0,
    scheduleIndex: place.index,
    requestId: id,
    logicalRequestId: row.logicalRequestId ?? id,
    attempt: 1,
    nextTryNs: null,
    labels: {
      model: row.model,
      tenant: row.tenant,
      class: row.class,
      region: null,
      session: row.session,
    },
    promptTokensPlanned: null,
    outputTokensMax: null,
    streamed: row.streamed ?? row.ttftNs !== null,
    oneTokenPerEvent: false,
    inFlightAtDispatch: null,
    dispatch: { kind: 'sent', plannedNs: startNs, dispatchedNs: startNs },
    timeline: {
      ...NO_TIMELINE,
      firstEventNs: output.atNs[0] ?? null,
      finishNs: row.finishReason === null ? null : doneNs,
      doneNs: row.end === 'completed' ? doneNs : null,
      output,
      usage: {
        promptTokens: row.promptTokens,
        completionTokens: row.outputTokens,
        reasoningTokens: row.reasoningTokens,
        cachedPromptTokens: row.cachedPromptTokens,
      },
      finishReason: row.finishReason,
      notes: row.gapsNs === null ? GAPS_UNKNOWN : NO_NOTES,
    },
    end: endOf(row, doneNs ?? startNs),
    httpStatus: row.httpStatus,
    queueNs: row.queueNs,
    checks: [],
    traceId: null,
  };
}

const GAPS_UNKNOWN = [GAPS_NOT_LOGGED] as const;
const NO_NOTES = [] as const;

function outputOf(row: LoggedRequest, startNs: number): OutputEvents {
  const { ttftNs, gapsNs, e2eNs, outputTokens: tokens } = row;
  if (tokens === 0) return NO_OUTPUT;
  if (ttftNs === null) {
    // That there was an answer is known; when it came is not: `streamed` is false then.
    return tokens === null || e2eNs === null ? NO_OUTPUT : events([startNs + e2eNs]);
  }
  const firstNs = startNs + ttftNs;
  if (gapsNs !== null) {
    let atNs = firstNs;
    return events([firstNs, ...gapsNs.map((gapNs) => (atNs += gapNs))]);
  }
  if (e2eNs === null || tokens === 1) return events([firstNs]);
  return events([firstNs, startNs + Math.max(e2eNs, ttftNs)]);
}

function events(atNs: readonly number[]): OutputEvents {
  return { atNs, ...columnsOf(atNs.length) };
}

/** All that is told of the events besides their instants is their number, so few columns do. */
function columnsOf(count: number): Omit<OutputEvents, 'atNs'> {
  return count === 1 ? ONE_EVENT : count === 2 ? TWO_EVENTS : eventColumns(count);
}

function eventColumns(count: number): Omit<OutputEvents, 'atNs'> {
  const of = <Cell>(cell: (at: number) => Cell): readonly Cell[] =>
    Array.from({ length: count }, (_, at) => cell(at));
  return {
    kind: of(() => 'answer' as const),
    bytes: of(() => 1),
    tokens: of(() => null),
    readId: of((at) => at),
  };
}

const ONE_EVENT = eventColumns(1);
const TWO_EVENTS = eventColumns(2);

function endOf(row: LoggedRequest, endNs: number): RequestEnd {
  switch (row.end) {
    case 'completed':
      return { kind: 'completed' };
    case 'timedOut':
      return { kind: 'timedOut', deadlineNs: endNs };
    case 'cancelled':
      return { kind: 'cancelled', atNs: endNs };
    case 'failed':
      return { kind: 'failed', failure: row.failure ?? 'serverError', error: row.error };
    default:
      return assertNever(row.end);
  }
}
