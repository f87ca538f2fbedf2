/**
 * Builds request records for tests: a completed, streamed chat answer unless told otherwise, so
 * that a test names only what it is about.
 *
 *     recordOf()                                      // 3 answer events, 20 ms apart
 *     recordOf({ plannedNs: 0, dispatchedNs: nsFromMs(5), arrivalsNs: [nsFromMs(105)] })
 *     recordOf({ dropped: 'ceiling' })                // never sent
 *     recordOf({ end: failedEnd('httpStatus'), httpStatus: 503, arrivalsNs: [] })
 */
import {
  RECORD_SCHEMA_VERSION,
  type CheckResult,
  type DropReason,
  type Dispatch,
  type FailureClass,
  type FinishReason,
  type OutputKind,
  type RecordClock,
  type RecordLabels,
  type RecordSource,
  type RequestEnd,
  type RequestRecord,
  type ServerError,
  type Timeline,
  type Usage,
} from '../../src/record/index.ts';

/** What a test may say of a record. Every instant is in nanoseconds since run start. */
export interface RecordOptions {
  readonly plannedNs?: number;
  /** Default: as planned. */
  readonly dispatchedNs?: number;
  /** Never sent, for this reason. */
  readonly dropped?: DropReason;
  /** The run stopped first. */
  readonly notReached?: boolean;

  /** Arrivals of the output events. Default: 100, 120 and 140 ms after dispatch. */
  readonly arrivalsNs?: readonly number[];
  /** One kind for all events, or one per event. Default `answer`. */
  readonly kinds?: OutputKind | readonly OutputKind[];
  /** One count for all events, or one per event. Default `null`: the server did not say. */
  readonly tokensPerEvent?: number | null | readonly (number | null)[];
  /** Default: events with the same stamp came in one read. */
  readonly readIds?: readonly number[];
  /** Default: 100 prompt tokens and one completion token per event. `null`: no usage. */
  readonly usage?: Partial<Usage> | null;
  readonly finishReason?: FinishReason | null;
  /** Default: 1 ms after the last output event. */
  readonly doneNs?: number | null;
  /** Anything else of the timeline. */
  readonly timeline?: Partial<Timeline>;

  readonly end?: RequestEnd;
  readonly httpStatus?: number | null;
  readonly queueNs?: number | null;
  readonly checks?: readonly CheckResult[];
  readonly streamed?: boolean;
  readonly oneTokenPerEvent?: boolean;

  readonly pointIndex?: number;
  /** Place in the schedule; the request id follows it. */
  readonly scheduleIndex?: number;
  readonly requestId?: string;
  readonly logicalRequestId?: string;
  readonly attempt?: number;
  readonly nextTryNs?: number | null;
  readonly labels?: Partial<RecordLabels>;
  readonly promptTokensPlanned?: number | null;
  readonly outputTokensMax?: number | null;
  readonly inFlightAtDispatch?: number | null;
  readonly source?: RecordSource;
  readonly clock?: RecordClock;
}

const MS = 1_000_000;

/** The record a test describes; see the file's head for the defaults. */
export function recordOf(options: RecordOptions = {}): RequestRecord {
  const dispatch = dispatchOf(options);
  const sent = dispatch.kind === 'sent';
  const scheduleIndex = options.scheduleIndex ?? 0;
  const requestId = options.requestId ?? `request-${scheduleIndex}`;
  return {
    schemaVersion: RECORD_SCHEMA_VERSION,
    source: options.source ?? 'measured',
    clock: options.clock ?? 'client',
    experimentHash: 'test',
    pointIndex: options.pointIndex ?? 0,
    scheduleIndex,
    requestId,
    logicalRequestId: options.logicalRequestId ?? requestId,
    attempt: options.attempt ?? 1,
    nextTryNs: options.nextTryNs ?? null,
    labels: {
      model: 'test-model',
      tenant: null,
      class: null,
      region: null,
      session: null,
      ...options.labels,
    },
    promptTokensPlanned: options.promptTokensPlanned ?? null,
    outputTokensMax: options.outputTokensMax ?? null,
    streamed: options.streamed ?? true,
    oneTokenPerEvent: options.oneTokenPerEvent ?? false,
    inFlightAtDispatch: options.inFlightAtDispatch ?? null,
    dispatch,
    timeline: sent ? timelineOf(options, dispatch.dispatchedNs) : null,
    end: sent ? (options.end ?? { kind: 'completed' }) : null,
    httpStatus: sent ? (options.httpStatus === undefined ? 200 : options.httpStatus) : null,
    queueNs: options.queueNs ?? null,
    checks: options.checks ?? [],
    traceId: null,
  };
}

/** The end of a request that failed, with the evidence the server gave, if any. */
export function failedEnd(
  failure: FailureClass,
  error: Partial<ServerError> | null = null,
): RequestEnd {
  if (error === null) return { kind: 'failed', failure, error: null };
  return {
    kind: 'failed',
    failure,
    error: {
      httpStatus: null,
      code: null,
      type: null,
      retryAfterNs: null,
      evidence: [],
      ...error,
    },
  };
}

function dispatchOf(options: RecordOptions): Dispatch {
  const plannedNs = options.plannedNs ?? 0;
  if (options.notReached === true) return { kind: 'notReached', plannedNs, reason: 'stopped' };
  if (options.dropped !== undefined) return { kind: 'dropped', plannedNs, reason: options.dropped };
  return { kind: 'sent', plannedNs, dispatchedNs: options.dispatchedNs ?? plannedNs };
}

function timelineOf(options: RecordOptions, dispatchedNs: number): Timeline {
  const atNs = options.arrivalsNs ?? [100, 120, 140].map((ms) => dispatchedNs + ms * MS);
  const firstNs = atNs[0] ?? null;
  const lastNs = atNs.at(-1) ?? null;
  const doneNs = options.doneNs === undefined ? (lastNs ?? dispatchedNs) + MS : options.doneNs;
  const finishReason = options.finishReason === undefined ? 'stop' : options.finishReason;
  const bytes = atNs.map(() => 4);
  return {
    connectedNs: null,
    tlsDoneNs: null,
    reused: true,
    peer: '127.0.0.1:8000',
    writtenNs: dispatchedNs,
    firstByteNs: firstNs ?? doneNs,
    firstEventNs: firstNs,
    lastChoicesEventNs: lastNs,
    usageAtNs: options.usage === null ? null : doneNs,
    finishNs: finishReason === null ? null : lastNs,
    terminalNs: doneNs,
    doneNs,
    bodyEndNs: doneNs,
    output: {
      atNs,
      kind: column(options.kinds ?? 'answer', atNs.length),
      bytes,
      tokens: column(options.tokensPerEvent ?? null, atNs.length),
      readId: options.readIds ?? readIdsOf(atNs),
    },
    usage: usageOf(options.usage, atNs.length),
    local: null,
    draft: null,
    finishReason,
    limits: [],
    commentCount: 0,
    bodyBytes: bytes.reduce((sum, count) => sum + count, 0),
    notes: [],
    ...options.timeline,
  };
}

function usageOf(usage: Partial<Usage> | null | undefined, eventCount: number): Usage | null {
  if (usage === null) return null;
  return {
    promptTokens: 100,
    completionTokens: eventCount,
    reasoningTokens: null,
    cachedPromptTokens: null,
    ...usage,
  };
}

function column<T extends string | number | null>(
  value: T | readonly T[],
  length: number,
): readonly T[] {
  return isColumn(value) ? value : Array.from({ length }, () => value);
}

function isColumn<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

function readIdsOf(atNs: readonly number[]): readonly number[] {
  let read = 0;
  return atNs.map((instant, index) => {
    if (index > 0 && instant !== atNs[index - 1]) read += 1;
    return read;
  });
}
