/** What one load point is given, what it tells on the way and what it gives back. */
import type { Clock } from '../base/index.ts';
import type { DropReason, OutgoingRequest, RequestRecord, SendPort } from '../record/index.ts';
import type { RetryPolicy, Schedule, ScheduledRequest } from '../workload/index.ts';
import type { Budget } from './budget.ts';
import type { Pacer } from './pacer.ts';
import type { RecordTemplate, StartedRequest } from './point-records.ts';

/** The part of a request that is made from the workload; the generator adds the rest. */
export type PreparedRequest = Pick<OutgoingRequest, 'body' | 'headers' | 'traceId'>;

/** What becomes of the requests still in flight when starts end. */
export type AtEnd =
  /** They may finish for `limitNs` more, then are cancelled. */
  { readonly kind: 'drain'; readonly limitNs: number } | { readonly kind: 'cancel' };

export interface PointOptions {
  readonly clock: Clock;
  /** Wakes the generator for arrivals. `clock` will do where a millisecond of lateness is fine. */
  readonly pacer: Pacer;
  readonly schedule: Schedule;
  /** The point's start on `clock`: instants of the schedule count from it. */
  readonly startNs: number;
  readonly send: SendPort;
  /** Makes the request. Called before it is due where that is known, so it must be pure. */
  readonly prepare: (request: ScheduledRequest, requestId: string) => PreparedRequest;
  /** A try is given up this long after its dispatch. */
  readonly requestTimeoutNs: number;
  /** Arrivals that find this many in flight are dropped. At least the schedule's slots. */
  readonly maxInFlight: number;
  /** When a failed try is followed by another; `null` = never. */
  readonly retry: RetryPolicy | null;
  /** Arrivals later than this are dropped instead of sent late; `null` = always sent. */
  readonly latenessLimitNs: number | null;
  /** Shared by all points of the run. */
  readonly budget: Budget;
  readonly atEnd: AtEnd;
  /** Ends all starts; what is in flight then goes by `atEnd`. */
  readonly stopStarts: AbortSignal;
  /** Ends all starts and cancels what is in flight. */
  readonly cancelAll: AbortSignal;
  readonly template: RecordTemplate;
  /** Hears of each request just before it is handed to the send port. */
  readonly onStart?: (started: StartedRequest) => void;
  /**
   * Takes each record as soon as the request's fate is known. A promise is awaited before the
   * point ends, never before the next start; a failure stops the point.
   */
  readonly onRecord: (record: RequestRecord) => void | Promise<void>;
  /** Called four times a second. */
  readonly onProgress: ((progress: PointProgress) => void) | null;
}

/** `scheduled` = all requests of the schedule; each is in exactly one of the other counts but `tries`. */
export interface PointCounts {
  readonly scheduled: number;
  readonly waiting: number;
  readonly inFlight: number;
  /** Waiting for their next try. */
  readonly betweenTries: number;
  /** Sent and ended, in whatever way; after the last try. */
  readonly ended: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
  readonly notReached: number;
  /** Tries handed to the send port; without a retry policy one a request. */
  readonly tries: number;
}

export interface PointProgress {
  readonly atNs: number;
  readonly counts: PointCounts;
}

/**
 * Why starts ended. `duration`: the schedule's stop instant, or its last arrival, was reached.
 * `requests`: a closed loop used up its requests before. `interrupted`: a signal. `budget`: a
 * spending limit.
 */
export type StopReason = 'duration' | 'requests' | 'interrupted' | 'budget';

export interface PointOutcome {
  readonly startNs: number;
  /** Every request in the ledger was due before this instant. */
  readonly stopNs: number;
  /** When the last request had ended. */
  readonly endNs: number;
  readonly stopReason: StopReason;
  /** True when the point was cut short: some requests may not have been reached. */
  readonly partial: boolean;
  readonly counts: PointCounts;
  readonly inFlightMax: number;
  /** Largest dispatched − planned; `null` when nothing was sent. */
  readonly lagMaxNs: number | null;
}
