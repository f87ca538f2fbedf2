/**
 * The port between the load generator and whatever carries a request: the HTTP client in a load
 * test, a fake in tests. One try, no retries: a retry policy lives above, where it is visible.
 */
import type { CheckResult, RequestEnd, Timeline } from './request-record.ts';

/** One request ready to go. */
export interface OutgoingRequest {
  readonly requestId: string;
  /** JSON body, model, stream and usage options included. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Extra headers of this request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly streamed: boolean;
  /** Absolute instant at which the try is given up as timed out. */
  readonly deadlineNs: number;
  readonly traceId: string | null;
  /**
   * Takes the words of an answer that completed, just before its result is given. Left out: nobody
   * asks for them. They are in no result and no record.
   */
  readonly onText?: (text: string) => void;
}

/** What one try gave. Failures are data: the port never rejects for anything a server does. */
export interface SendResult {
  /** When the client took the request up, before DNS and connect. */
  readonly dispatchedNs: number;
  readonly timeline: Timeline;
  readonly end: RequestEnd;
  readonly httpStatus: number | null;
  /** Queue time the server reported, if it did. */
  readonly queueNs: number | null;
  readonly checks: readonly CheckResult[];
}

export interface SendPort {
  /** Aborting `signal` ends the try as `cancelled`. */
  send(request: OutgoingRequest, signal: AbortSignal): Promise<SendResult>;
}
