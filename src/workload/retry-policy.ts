/**
 * When a client tries a failed request again, and after how long. Declared by the user, never
 * assumed: a load test without a policy sends every request once.
 */

/**
 * What a failed try may have ended in:
 * - an HTTP status, or all of a hundred (`5xx`);
 * - `connect`: no response came (name, connection, TLS, a connection lost before the first byte);
 * - `timeout`: the try passed its own deadline;
 * - `answer`: a response began well and broke (cut short, an error inside it, not readable).
 */
export type RetryCause = number | '4xx' | '5xx' | 'connect' | 'timeout' | 'answer';

export interface RetryPolicy {
  /** Tries of one request in all, the first included; at least 2. */
  readonly attempts: number;
  /** Any of these is tried again. */
  readonly on: readonly RetryCause[];
  readonly backoff: {
    /** The wait before the second try. */
    readonly baseNs: number;
    /** Each further wait is this many times the one before; at least 1. */
    readonly factor: number;
    /** No wait is longer, unless the server asks for it. */
    readonly maxNs: number;
    /** Each wait is cut by a random part of it, at most this share: 0 = none, 1 = "full jitter". */
    readonly jitterShare: number;
  };
  /** Whether a wait is at least as long as the server asked for (`Retry-After`). */
  readonly honoursRetryAfter: boolean;
  /** No try starts later than this after its request was due, or lasts beyond it; `null` = no bound. */
  readonly deadlineNs: number | null;
  /** Of the jitter. */
  readonly seed: number;
}
