/**
 * The one record. Load tests, the simulator and imported logs all write it; the judge reads it.
 *
 * Instants are integer nanoseconds since the run's start on one monotonic clock. `null` means
 * "not observed", never zero. There is no prompt or answer text here, and no free text a server
 * sent: only machine words (docs/record-format.md).
 */

/** Version of this format; a reader refuses records of a later one. */
export const RECORD_SCHEMA_VERSION = 1;

/** What generated content an output event carried. */
export type OutputKind = 'answer' | 'reasoning' | 'refusal' | 'toolCall';

export const OUTPUT_KINDS: readonly OutputKind[] = ['answer', 'reasoning', 'refusal', 'toolCall'];

/**
 * Output events of one answer in order of arrival, as columns of equal length. An output event
 * carries non-empty generated content: role-only and empty deltas, usage, pings, comments and the
 * end mark are not here. One event is one chunk on the wire, which may hold several tokens.
 */
export interface OutputEvents {
  /** Arrival of the socket read that completed the event. Never decreasing. */
  readonly atNs: readonly number[];
  readonly kind: readonly OutputKind[];
  /** UTF-8 bytes of the content. */
  readonly bytes: readonly number[];
  /** Tokens the server said this event added (per-event usage); `null` where it did not say. */
  readonly tokens: readonly (number | null)[];
  /** Number of the socket read within the response; events of one read share one stamp. */
  readonly readId: readonly number[];
}

/** Token counts the server reported, repeated or running totals taken once. `null` = not told. */
export interface Usage {
  readonly promptTokens: number | null;
  /** All generated tokens, reasoning included. */
  readonly completionTokens: number | null;
  /** Of the completion, those spent on hidden or shown reasoning. */
  readonly reasoningTokens: number | null;
  /** Of the prompt, those served from the prefix cache. */
  readonly cachedPromptTokens: number | null;
}

/** Tokens of an answer's text by a local tokenizer, kind by kind. */
export interface LocalTokens {
  /** Its name: `o200k_base`, `tokenizer.json@3f2a9c01`. */
  readonly tokenizer: string;
  /**
   * Whether these counts are the request's output tokens: settled for a whole run before its load,
   * where the server tells none. Else they only stand beside the server's.
   */
  readonly judged: boolean;
  readonly answerTokens: number;
  readonly reasoningTokens: number;
  readonly refusalTokens: number;
  /** Of the names of the functions called and their arguments; marks around them have no text. */
  readonly toolCallTokens: number;
}

/** Tokens a draft proposed ahead of the model, and those the model took: speculative decoding. */
export interface DraftTokens {
  readonly proposedTokens: number;
  /** At most `proposedTokens`. */
  readonly acceptedTokens: number;
}

/** What a provider's limits count. */
export type LimitedUnit = 'requests' | 'tokens' | 'inputTokens' | 'outputTokens';

/** One of a provider's limits, as the headers of a response told it. `null` = not told. */
export interface ToldLimit {
  readonly of: LimitedUnit;
  /** The time it is for, where the header is documented to say. */
  readonly per: 'minute' | 'day' | null;
  readonly limitCount: number | null;
  /** What was left when the response was made. */
  readonly remainingCount: number | null;
  /** Until all of it is there again, from the receipt of the response. */
  readonly resetNs: number | null;
}

/** Why the answer ended, in one vocabulary for all dialects. */
export type FinishReason = 'stop' | 'length' | 'toolCalls' | 'contentFilter' | 'other';

/** What the client saw of one request that was sent. All instants on the client's clock. */
export interface Timeline {
  /** TCP connection ready. `null` when an open connection was reused or none was made. */
  readonly connectedNs: number | null;
  readonly tlsDoneNs: number | null;
  /** Whether an already open connection carried the request; `null` when none was had. */
  readonly reused: boolean | null;
  /** `address:port` that answered. */
  readonly peer: string | null;
  /** Head and body handed to the socket. */
  readonly writtenNs: number | null;
  /** First byte of the response, headers included: not a token. */
  readonly firstByteNs: number | null;
  /** First event of any kind. */
  readonly firstEventNs: number | null;
  readonly lastChoicesEventNs: number | null;
  /** Last event that carried usage. */
  readonly usageAtNs: number | null;
  /** First event that carried a finish reason. */
  readonly finishNs: number | null;
  /** The dialect's end mark (`[DONE]`). */
  readonly terminalNs: number | null;
  /** `terminalNs` if seen, else the end of the body. `null` when the answer never ended. */
  readonly doneNs: number | null;
  readonly bodyEndNs: number | null;
  readonly output: OutputEvents;
  readonly usage: Usage | null;
  /** `null` without a local tokenizer. */
  readonly local: LocalTokens | null;
  /** `null` when the server did not tell. Counts of a whole answer, taken once. */
  readonly draft: DraftTokens | null;
  readonly finishReason: FinishReason | null;
  /** Of the provider, by the response's headers; empty when it told none. */
  readonly limits: readonly ToldLimit[];
  /** Comment lines received (keep-alives). */
  readonly commentCount: number;
  readonly bodyBytes: number;
  /** Machine words for oddities that did not change the outcome, e.g. `resetAfterTerminal`. */
  readonly notes: readonly string[];
}

/** Why a due request was never sent. The client's doing, yet a miss for the offered load. */
export type DropReason = 'ceiling' | 'late' | 'budget' | 'generatorLost';

/**
 * Why a scheduled request never became due: the run ended first, or its session was over because an
 * earlier turn did not complete.
 */
export type NotReachedReason = 'stopped' | 'sessionOver';

export type Dispatch =
  | { readonly kind: 'sent'; readonly plannedNs: number; readonly dispatchedNs: number }
  | { readonly kind: 'dropped'; readonly plannedNs: number; readonly reason: DropReason }
  /** Never due: outside the ledger. `plannedNs` is null where it was to follow another request. */
  | {
      readonly kind: 'notReached';
      readonly plannedNs: number | null;
      readonly reason: NotReachedReason;
    };

/** Closed union of the ways a request fails. Documented in docs/errors.md. */
export type FailureClass =
  | 'dns'
  | 'connect'
  | 'connectTimeout'
  | 'tls'
  | 'socket'
  | 'httpStatus'
  | 'redirect'
  | 'contentType'
  | 'contentEncoding'
  | 'protocol'
  | 'utf8'
  | 'json'
  | 'serverError'
  | 'truncated'
  | 'empty'
  | 'lineLimit'
  | 'bodyLimit'
  | 'multipleChoices';

/**
 * How a sent request ended, as the transport saw it. Whether a failure is a *refusal* (a published
 * limit enforced) is decided later, by the objective's rules, so that the rules can be edited and
 * the run judged again: see `classifyOutcome` in the `slo` room.
 */
export type RequestEnd =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly failure: FailureClass; readonly error: ServerError | null }
  /** Censored at its own deadline. */
  | { readonly kind: 'timedOut'; readonly deadlineNs: number }
  /** Stopped by the run (Ctrl-C, end of drain). */
  | { readonly kind: 'cancelled'; readonly atNs: number };

/** The evidence a failing server gave, as machine words only. */
export interface ServerError {
  readonly httpStatus: number | null;
  readonly code: string | null;
  readonly type: string | null;
  readonly retryAfterNs: number | null;
  /**
   * Words found in the error that tell a published limit from overload: `quota`, `rateLimit`,
   * `contextLength`. Found by searching the body in memory; the body itself is not kept.
   */
  readonly evidence: readonly string[];
}

/** One optional check of the answer, made in memory while the text was there. */
export interface CheckResult {
  readonly name: string;
  readonly passed: boolean;
}

export type RecordSource = 'measured' | 'simulated' | 'imported';
export type RecordClock = 'client' | 'edge' | 'server';

/** Labels that results may be split by. `null` = does not apply or is not known. */
export interface RecordLabels {
  readonly model: string | null;
  readonly tenant: string | null;
  readonly class: string | null;
  readonly region: string | null;
  readonly session: string | null;
}

export interface RequestRecord {
  readonly schemaVersion: typeof RECORD_SCHEMA_VERSION;
  readonly source: RecordSource;
  readonly clock: RecordClock;
  /** Hash of everything that shaped the experiment (manifest). */
  readonly experimentHash: string;
  /** Which load point of a sweep, from 0. */
  readonly pointIndex: number;
  /** Place in the point's schedule, from 0. */
  readonly scheduleIndex: number;
  readonly requestId: string;
  /** Shared by all tries of one logical request. */
  readonly logicalRequestId: string;
  /** 1 for the first try. */
  readonly attempt: number;
  /**
   * When the next try of the same request was due; `null` = this was its last. Without a record of
   * that next try, the run stopped before it.
   */
  readonly nextTryNs: number | null;
  readonly labels: RecordLabels;
  readonly promptTokensPlanned: number | null;
  readonly outputTokensMax: number | null;
  /** False when the answer came as one body: TTFT and gaps are then not observable. */
  readonly streamed: boolean;
  /** True when the target is declared to send exactly one token per output event. */
  readonly oneTokenPerEvent: boolean;
  /** Requests in flight when this one was dispatched, itself included. */
  readonly inFlightAtDispatch: number | null;
  readonly dispatch: Dispatch;
  /** `null` exactly when the request was not sent. */
  readonly timeline: Timeline | null;
  /** `null` exactly when the request was not sent. */
  readonly end: RequestEnd | null;
  readonly httpStatus: number | null;
  /** Queue time the server reported, if it did. */
  readonly queueNs: number | null;
  readonly checks: readonly CheckResult[];
  readonly traceId: string | null;
}

/**
 * The note of a record whose source told only the first and the last output: what lies between its
 * output events is then no chunk gap.
 */
export const GAPS_NOT_LOGGED = 'gapsNotLogged';

/** The columns of an answer without output. */
export const NO_OUTPUT: OutputEvents = { atNs: [], kind: [], bytes: [], tokens: [], readId: [] };

/** The timeline of a request of which nothing was seen. */
export const NO_TIMELINE: Timeline = {
  connectedNs: null,
  tlsDoneNs: null,
  reused: null,
  peer: null,
  writtenNs: null,
  firstByteNs: null,
  firstEventNs: null,
  lastChoicesEventNs: null,
  usageAtNs: null,
  finishNs: null,
  terminalNs: null,
  doneNs: null,
  bodyEndNs: null,
  output: NO_OUTPUT,
  usage: null,
  local: null,
  draft: null,
  finishReason: null,
  limits: [],
  commentCount: 0,
  bodyBytes: 0,
  notes: [],
};
