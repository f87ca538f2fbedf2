/** Writes the record of each way a scheduled request can go. */
import { uuidOf } from '../base/index.ts';
import {
  type Dispatch,
  type DropReason,
  NO_TIMELINE,
  type NotReachedReason,
  RECORD_SCHEMA_VERSION,
  type RecordClock,
  type RecordLabels,
  type RecordSource,
  type RequestRecord,
  type SendResult,
  type Timeline,
} from '../record/index.ts';
import type { ScheduledRequest } from '../workload/index.ts';

/** What all records of one load point share. */
export interface RecordTemplate {
  readonly source: RecordSource;
  /** Whose clock the send port reads. */
  readonly clock: RecordClock;
  readonly experimentHash: string;
  /** Names the run; request ids are made of it, so that no two runs share one. */
  readonly runId: string;
  readonly pointIndex: number;
  readonly labels: Pick<RecordLabels, 'model' | 'tenant' | 'region'>;
  readonly streamed: boolean;
  readonly oneTokenPerEvent: boolean;
  /** Whether output tokens are those of a local tokenizer; left out: the server's. */
  readonly countedLocally?: boolean;
}

/** What tells one try from all others. */
export interface TryIds {
  readonly requestId: string;
  readonly logicalRequestId: string;
  /** 1 for the first. */
  readonly attempt: number;
}

/**
 * UUIDs made of run, point and index, and of the try where `isRetried`: requests of which there may
 * be several tries. One that is sent once is its own logical request.
 */
export function tryIdsOf(
  template: RecordTemplate,
  request: ScheduledRequest,
  { attempt, isRetried }: { readonly attempt: number; readonly isRetried: boolean },
): TryIds {
  const place = `${template.runId}/${template.pointIndex}/${request.index}`;
  const logicalRequestId = uuidOf(place);
  const requestId = isRetried ? uuidOf(`${place}/${attempt}`) : logicalRequestId;
  return { requestId, logicalRequestId, attempt };
}

/** A request that was handed to the send port. */
export interface SentRequest extends TryIds {
  readonly request: ScheduledRequest;
  readonly plannedNs: number;
  readonly inFlightAtDispatch: number;
  readonly traceId: string | null;
}

/** A request as it is handed over, of which nothing more is known yet. */
export interface StartedRequest extends SentRequest {
  /** When the request was handed to the send port. */
  readonly handedNs: number;
}

export function sentRecord(
  template: RecordTemplate,
  sent: SentRequest,
  result: SendResult,
  /** When the next try is due; `null` = this was the last. */
  nextTryNs: number | null = null,
): RequestRecord {
  return {
    ...baseRecord(template, sent.request, sent, {
      kind: 'sent',
      plannedNs: sent.plannedNs,
      dispatchedNs: result.dispatchedNs,
    }),
    nextTryNs,
    inFlightAtDispatch: sent.inFlightAtDispatch,
    timeline: template.countedLocally === true ? judgedLocally(result.timeline) : result.timeline,
    end: result.end,
    httpStatus: result.httpStatus,
    queueNs: result.queueNs,
    checks: result.checks,
    traceId: sent.traceId,
  };
}

function judgedLocally(timeline: Timeline): Timeline {
  const { local } = timeline;
  return local === null ? timeline : { ...timeline, local: { ...local, judged: true } };
}

export function droppedRecord(
  template: RecordTemplate,
  request: ScheduledRequest,
  ids: TryIds,
  { plannedNs, reason }: { readonly plannedNs: number; readonly reason: DropReason },
): RequestRecord {
  return baseRecord(template, request, ids, { kind: 'dropped', plannedNs, reason });
}

export function notReachedRecord(
  template: RecordTemplate,
  request: ScheduledRequest,
  ids: TryIds,
  { startNs, reason }: { readonly startNs: number; readonly reason: NotReachedReason },
): RequestRecord {
  const plannedNs = request.release.kind === 'at' ? startNs + request.release.atNs : null;
  return baseRecord(template, request, ids, { kind: 'notReached', plannedNs, reason });
}

/**
 * What stands for the answer of a send port that broke its contract (it threw, or did not end
 * when cancelled). The try counts as cancelled by the run: neither for nor against the service.
 */
export function faultResult(dispatchedNs: number, atNs: number, note: string): SendResult {
  return {
    dispatchedNs,
    timeline: { ...NO_TIMELINE, notes: [note] },
    end: { kind: 'cancelled', atNs },
    httpStatus: null,
    queueNs: null,
    checks: [],
  };
}

function baseRecord(
  template: RecordTemplate,
  request: ScheduledRequest,
  { requestId, logicalRequestId, attempt }: TryIds,
  dispatch: Dispatch,
): RequestRecord {
  return {
    schemaVersion: RECORD_SCHEMA_VERSION,
    source: template.source,
    clock: template.clock,
    experimentHash: template.experimentHash,
    pointIndex: template.pointIndex,
    scheduleIndex: request.index,
    requestId,
    logicalRequestId,
    attempt,
    nextTryNs: null,
    labels: { ...template.labels, class: request.class, session: request.session },
    promptTokensPlanned: request.promptTokens,
    outputTokensMax: request.outputTokensMax,
    streamed: template.streamed,
    oneTokenPerEvent: template.oneTokenPerEvent,
    inFlightAtDispatch: null,
    dispatch,
    timeline: null,
    end: null,
    httpStatus: null,
    queueNs: null,
    checks: [],
    traceId: null,
  };
}
