/** What the judge says of one request. */

/** Outcome in the ledger, after the objective's refusal rules were applied. */
export type Outcome =
  | 'dropped'
  | 'refused'
  | 'failed'
  | 'cancelled'
  | 'timedOut'
  | 'completed'
  /** The run stopped before it was due or sent: outside the ledger. */
  | 'notReached';

/** Unknown is never good. */
export type Verdict = 'good' | 'bad' | 'excluded' | 'unjudged';

export type ObjectiveName =
  | 'ttft'
  | 'firstAnswer'
  | 'tpot'
  | 'gapMax'
  | 'gapQuantile'
  | 'e2e'
  | 'outputTokens'
  | 'correctness';

export interface ObjectiveResult {
  readonly objective: ObjectiveName;
  readonly state: 'met' | 'missed' | 'notApplicable' | 'unknown';
  /** Observed value in the unit of the limit (ns or tokens); `null` when not observed. */
  readonly observed: number | null;
  readonly limit: number | null;
  /** A machine word for why the state is not `met`; `null` when met. */
  readonly reason: string | null;
}

/** A prompt-length bucket label such as `1k-4k`, `64k+` or `unknown`. */
export type PromptBucket = string;

export interface Judgement {
  readonly outcome: Outcome;
  readonly verdict: Verdict;
  /** A machine word for why the verdict is not `good`; `null` when good. */
  readonly reason: string | null;
  readonly objectives: readonly ObjectiveResult[];
  readonly promptBucket: PromptBucket;
  /** Where the bucket's token count came from. */
  readonly promptTokensFrom: 'usage' | 'planned' | 'unknown';
}
