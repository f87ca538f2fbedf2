/**
 * One request as a foreign log tells it: what an importer gives, and what becomes a record. Flat,
 * because logs are: no timeline, a few instants and counts. `null` = the log does not say.
 */
import type { FailureClass, FinishReason, RecordClock, ServerError } from '../record/index.ts';

/** How the log says the request ended. */
export type LoggedEnd = 'completed' | 'failed' | 'timedOut' | 'cancelled';

export interface LoggedRequest {
  readonly requestId: string | null;
  /** Shared by the tries of one request; `null` where the log cannot join them. */
  readonly logicalRequestId: string | null;
  /** Start, in microseconds since 1970 UTC. `null` = no clock time: the row has no window. */
  readonly startUs: number | null;
  /** First token − start, in nanoseconds. */
  readonly ttftNs: number | null;
  /** End − start, in nanoseconds. */
  readonly e2eNs: number | null;
  /** Every gap between chunks, where the log has them all. */
  readonly gapsNs: readonly number[] | null;
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly cachedPromptTokens: number | null;
  /** `null` = not told: taken as streamed where there is a first token. */
  readonly streamed: boolean | null;
  readonly end: LoggedEnd;
  /** Of failed requests. */
  readonly failure: FailureClass | null;
  readonly error: ServerError | null;
  readonly httpStatus: number | null;
  readonly finishReason: FinishReason | null;
  readonly queueNs: number | null;
  readonly model: string | null;
  readonly tenant: string | null;
  readonly class: string | null;
  readonly session: string | null;
  readonly clock: RecordClock;
  /** What the source itself calls its time per output token; only compared, never judged. */
  readonly claimedTpotNs: number | null;
  /** A known fault of the source met in this row, as a machine word. */
  readonly oddity: 'ttftIsEnd' | null;
}

/** A request of which nothing is known but that it was answered. */
export const NOTHING_LOGGED: LoggedRequest = {
  requestId: null,
  logicalRequestId: null,
  startUs: null,
  ttftNs: null,
  e2eNs: null,
  gapsNs: null,
  promptTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  cachedPromptTokens: null,
  streamed: null,
  end: 'completed',
  failure: null,
  error: null,
  httpStatus: null,
  finishReason: null,
  queueNs: null,
  model: null,
  tenant: null,
  class: null,
  session: null,
  clock: 'server',
  claimedTpotNs: null,
  oddity: null,
};

/** The fields whose coverage is told, in the order of the table. */
export const COVERED_FIELDS = [
  'startUs',
  'ttftNs',
  'e2eNs',
  'gapsNs',
  'promptTokens',
  'outputTokens',
  'finishReason',
  'httpStatus',
  'model',
  'tenant',
] as const;

export type CoveredField = (typeof COVERED_FIELDS)[number];
