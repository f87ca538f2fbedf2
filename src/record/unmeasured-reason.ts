/** Why a measure of a request is `null`, as a machine word. */
export type UnmeasuredReason =
  /** Dropped, or the run stopped first. */
  | 'notSent'
  /** The answer came as one body: no instant inside it was seen. */
  | 'notStreamed'
  /** No output event of a kind that counts. */
  | 'noCountedOutput'
  /** No output event of kind `answer`. */
  | 'noAnswer'
  | 'notCompleted'
  /** The server did not say how many. */
  | 'tokensUnknown'
  /** The server's total mixes kinds that count with kinds that do not. */
  | 'kindsNotSeparable'
  /** The server's counts contradict each other or the events. */
  | 'tokensInconsistent'
  /** A one-token answer has no time after its first token: not applicable, rather than unknown. */
  | 'oneToken'
  /** All counted output came in one event: nothing after the first was seen. */
  | 'singleEvent'
  /** All counted events came in one socket read: something on the way held the answer back. */
  | 'singleRead'
  /** Neither declared nor told event by event that one event is one token. */
  | 'notAligned'
  /** Declared or told as one token per event, yet the totals differ. */
  | 'countMismatch'
  /** The server does not report it. */
  | 'notReported'
  /** A rate over no time at all. */
  | 'noTime';
