/** Requests in the order in which they arrive, one column a figure. */
export interface RequestBlock {
  /** Rows in use; columns may be longer. ≥ 1. */
  readonly count: number;
  /** Seconds since the start, ascending. */
  readonly arrivalSeconds: Float64Array;
  /** ≥ 1. */
  readonly promptTokens: Int32Array;
  /** ≥ 2: the first token ends the prefill, the last one ends the request. */
  readonly outputTokens: Int32Array;
}

/**
 * Gives the next requests of a workload, `null` after the last. A block is read to its end before
 * the next is asked for, so a source may fill the same columns again: memory stays flat however
 * long the run.
 */
export type RequestSource = () => RequestBlock | null;

/** What becomes of every request, told as it ends. All times in seconds since the start. */
export interface FinishSink {
  finished(
    arrivalSeconds: number,
    promptTokens: number,
    outputTokens: number,
    firstTokenSeconds: number,
    lastTokenSeconds: number,
  ): void;
}

/** A workload held whole, as a source that gives it in one piece. */
export function sourceOf(block: RequestBlock): RequestSource {
  let isGiven = block.count === 0;
  return () => {
    if (isGiven) return null;
    isGiven = true;
    return block;
  };
}
