/** What a user asks of the service: the objective on each request and on the population. */
import type { FinishReason, OutputKind } from '../record/index.ts';

/** A limit for prompts with `fromTokens ≤ prompt tokens < toTokens` (`toTokens` null = no end). */
export interface BucketLimit {
  readonly fromTokens: number;
  readonly toTokens: number | null;
  readonly limitNs: number;
}

/** The measures a population quantile may be asked of. */
export type LatencyMeasure = 'ttft' | 'firstAnswer' | 'tpot' | 'gap' | 'e2e';

/** Where the clock of a latency starts. `planned`: a late generator never flatters the server. */
export type LatencyStart = 'planned' | 'dispatch';

/** A check made on the answer text in memory; only its pass or fail is recorded. */
export type AnswerCheck =
  | { readonly kind: 'regex'; readonly name: string; readonly pattern: string }
  | { readonly kind: 'json'; readonly name: string }
  | { readonly kind: 'jsonSchema'; readonly name: string; readonly schema: unknown }
  | { readonly kind: 'equals'; readonly name: string; readonly expected: string };

/** Every part that is not `null` must hold for the request to be good. Limits are inclusive. */
export interface RequestObjective {
  /** Output kinds that count for TTFT, gaps and TPOT. Default answer, reasoning, refusal. */
  readonly counts: readonly OutputKind[];
  readonly from: LatencyStart;
  /** By prompt length, ascending and without holes; one entry from 0 when not bucketed. */
  readonly ttft: readonly BucketLimit[] | null;
  /** First event of kind `answer`, whatever counts for TTFT: the end of the thinking. */
  readonly firstAnswerNs: number | null;
  /** `basis: 'observed'` accepts only token-aligned streams. */
  readonly tpot: { readonly limitNs: number; readonly basis: 'any' | 'observed' } | null;
  readonly gapMaxNs: number | null;
  readonly gapQuantile: { readonly q: number; readonly limitNs: number } | null;
  readonly e2eNs: number | null;
  readonly outputTokensMax: number | null;
  readonly correctness: {
    readonly finish: readonly FinishReason[];
    /** At least one event of one of these kinds is needed. Default answer. */
    readonly needs: readonly OutputKind[];
    /** Demand both the end mark and a finish reason. */
    readonly strictTerminal: boolean;
    readonly checks: readonly AnswerCheck[];
  };
}

export interface QuantileObjective {
  readonly measure: LatencyMeasure;
  /** In (0, 1]. */
  readonly q: number;
  readonly limitNs: number;
}

/** Targets over all offered requests of a point. All `null`/empty → no verdict. */
export interface PopulationObjective {
  readonly attainmentShare: number | null;
  readonly successShare: number | null;
  readonly quantiles: readonly QuantileObjective[];
  /** The worst tenant's or class's attainment must reach this. */
  readonly worst: { readonly by: 'tenant' | 'class'; readonly attainmentShare: number } | null;
  /** Window of the error budget, e.g. 30 days. */
  readonly periodNs: number | null;
}

/**
 * One rule that tells a refusal (a published limit enforced) from a failure. All given parts must
 * match; rules are tried in order. A rule without `body` and `code` names no evidence and never
 * matches: a bare status may be overload.
 */
export interface RefusalRule {
  readonly status: number | null;
  /** An evidence word of the record's `ServerError.evidence`, e.g. `quota`. */
  readonly body: string | null;
  /** The error code or type the server gave, e.g. `context_length_exceeded`. */
  readonly code: string | null;
}

export interface Objective {
  readonly name: string;
  readonly request: RequestObjective;
  readonly population: PopulationObjective;
  readonly refusals: readonly RefusalRule[];
  /** `operator` excludes refusals from the offered count; `buyer` counts them as misses. */
  readonly perspective: 'operator' | 'buyer';
  /**
   * `miss`: a timed-out request is bad. `censored`: a separately named analysis, where it is bad
   * only if a limit had passed before its deadline, else unjudged.
   */
  readonly timedOut: 'miss' | 'censored';
  readonly owner: string | null;
  readonly runbook: string | null;
  readonly rollback: string | null;
}
