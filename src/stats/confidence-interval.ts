/** An interval with what a reader needs to weigh it. */
export interface ConfidenceInterval {
  readonly low: number;
  readonly high: number;
  /** Confidence level in (0, 1), two-sided with equal tails. */
  readonly level: number;
  /** How it was made and under which assumption, e.g. `wilson, if independent`. */
  readonly method: string;
  /** Independent observations it rests on. */
  readonly effectiveN: number;
}
