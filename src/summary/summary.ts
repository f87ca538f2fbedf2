/**
 * The published result of a run: what `summary.json` holds (schema/summary.schema.json).
 * Numbers carry their unit in the name; `null` = not observed.
 */
import type { LimitedUnit, ToldLimit } from '../record/index.ts';
import type { Attainment, Judgement, Objective, ObjectiveName, Verdict } from '../slo/index.ts';
import type { SessionsSummary } from './session-summary.ts';
import type { ConfidenceInterval, QuantileRule } from '../stats/index.ts';
import type { TokenAgreement } from './token-agreement.ts';

export const SUMMARY_SCHEMA_VERSION = 2;

/** scheduled = dropped + refused + failed + cancelled + timedOut + completed, exactly. */
export interface Ledger {
  readonly scheduled: number;
  readonly dropped: number;
  readonly refused: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly timedOut: number;
  readonly completed: number;
  /** Outside the identity: the run stopped first. */
  readonly notReached: number;
}

/**
 * The window a rate or share belongs to. `wall`: first planned to last done, drain inside.
 * `steady`: declared or detected. `cohort`: tokens of the requests that arrived in the window.
 */
export interface Window {
  readonly kind: 'wall' | 'steady' | 'cohort';
  readonly fromNs: number;
  readonly toNs: number;
}

export interface QuantileValue {
  readonly q: number;
  readonly value: number;
  /** Whether there is an interval; else the value is shown, marked, and makes no claim. */
  readonly claimable: boolean;
  /** Independent values that would say as much; `null` = not known (pooled gaps, growing backlog). */
  readonly effectiveN: number | null;
  readonly interval: ConfidenceInterval | null;
}

/** Quantiles of one measure over one named population. */
export interface QuantileSummary {
  readonly rule: QuantileRule;
  readonly window: Window['kind'];
  readonly population: 'completed' | 'allObserved';
  /** Values observed. */
  readonly n: number;
  /**
   * Share of the population that gave a value; for pooled gaps, that gave at least one gap.
   * `null` when the population is empty.
   */
  readonly coverage: number | null;
  readonly mean: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly quantiles: readonly QuantileValue[];
}

/** Rates over one declared window, per second unless the name says otherwise. */
export interface Rates {
  readonly window: Window;
  /** Asked for; `null` for a closed loop. */
  readonly offeredRps: number | null;
  readonly realisedOfferedRps: number | null;
  readonly admittedRps: number | null;
  readonly completedRps: number | null;
  /** Completed and correct, whatever the latency. */
  readonly successfulRps: number | null;
  readonly goodRps: number | null;
  /** Known tokens only; requests with unknown usage are counted apart. */
  readonly inputTokensPerSecond: number | null;
  readonly outputTokensPerSecond: number | null;
  /**
   * Which tokens are counted. `requests`: all tokens of the completed requests planned in the
   * window. `arrivals`: those that arrived in it, per event where the server told, else the
   * request's total by the share of its output events that arrived in the window.
   */
  readonly outputTokensBasis: 'requests' | 'arrivals';
  readonly goodOutputTokensPerSecond: number | null;
  readonly unknownUsageCount: number;
  /**
   * Of what the service did; `null` = none can be stated. What was offered, realised and admitted is
   * what the client did, counted to the last request: nothing is estimated.
   */
  readonly intervals: {
    readonly completedRps: ConfidenceInterval | null;
    readonly successfulRps: ConfidenceInterval | null;
    readonly goodRps: ConfidenceInterval | null;
    readonly inputTokensPerSecond: ConfidenceInterval | null;
    readonly outputTokensPerSecond: ConfidenceInterval | null;
    readonly goodOutputTokensPerSecond: ConfidenceInterval | null;
  };
}

export interface PopulationResult {
  /** e.g. `attainment >= 95%`. */
  readonly target: string;
  /** By what was seen. */
  readonly state: 'met' | 'missed' | 'notEnoughData';
  readonly observed: number | null;
  readonly limit: number;
  /** Whether the interval that holds lies wholly on that side; else it is likely, not proven. */
  readonly proven: boolean;
  /** What proof would take beyond this window; `null` when proven or when nobody can say. */
  readonly toProve: { readonly requests: number; readonly seconds: number } | null;
}

/**
 * One latency on its own: the share of completed requests within its limit, against the attainment
 * target. All marginals can pass while the joint attainment misses.
 */
export interface Marginal {
  readonly objective: 'ttft' | 'tpot';
  /** The quantile that must be within the limit: the attainment target. */
  readonly q: number;
  readonly metShare: number;
  /** Of `metShare`; `null` when none can be stated. */
  readonly interval: ConfidenceInterval | null;
  readonly passes: boolean;
}

/** A reason for or against trusting the point, judged apart from performance. */
export interface ValidityReason {
  /** Machine word, e.g. `lateDispatch`, `ledger`, `littlesLaw`, `outputLengths`. */
  readonly check: string;
  readonly severity: 'invalid' | 'warning' | 'note';
  readonly message: string;
  readonly advice: string | null;
}

export interface Validity {
  readonly valid: boolean;
  readonly reasons: readonly ValidityReason[];
}

/**
 * How far the client's own error (late starts, stamps taken in or after a stall) reaches into the
 * result: the same figures with every latency at the least and the greatest it may have been.
 */
export interface ClientError {
  /** Judged requests whose verdict the error could change. */
  readonly touchedCount: number;
  readonly judgedCount: number;
  /** The attainment share from harshest to kindest; `null` when nothing was offered. */
  readonly attainment: { readonly low: number; readonly high: number } | null;
  /** Of completed requests; quantiles too high for their number are left out. */
  readonly quantiles: readonly {
    readonly measure: 'ttft' | 'tpot' | 'e2e';
    readonly q: number;
    readonly valueNs: number;
    readonly lowNs: number;
    readonly highNs: number;
  }[];
}

/**
 * What was known of the client's stamps before the run (`goodput doctor`), outside the stalls that
 * the run sees itself.
 */
export interface SummaryCalibration {
  /** ISO 8601. */
  readonly measuredAt: string;
  /** Whether it bounds the client's error here: it is of this machine, Node, transport and tool. */
  readonly used: boolean;
  readonly misfits: readonly ('machine' | 'node' | 'transport' | 'version')[];
  /** The load it was measured at. */
  readonly streamCount: number;
  readonly chunksRps: number;
  readonly startsRps: number;
  readonly burst: boolean;
  /** `null` when nothing could be compared. */
  readonly stampAgeP99Ns: number | null;
  readonly stampAgeMaxNs: number | null;
}

export interface StratumSummary {
  readonly name: string;
  readonly ledger: Ledger;
  readonly attainment: Attainment;
  readonly ttftFromPlannedNs: QuantileSummary;
  readonly tpotNs: QuantileSummary;
  readonly completionNs: QuantileSummary;
}

/** The load that was asked of one point. */
export interface PointLoad {
  readonly kind: 'rate' | 'concurrency' | 'users' | 'sessions' | 'trace';
  /** Requests/s, streams, users or sessions/s; for a trace its time scale. */
  readonly level: number;
  /** One line for people: `open loop, Poisson 4/s`, `closed loop, 8 in flight`. */
  readonly label: string;
  readonly closedLoop: boolean;
}

/**
 * One load point. `ledger`, its shares, drop reasons, failure classes, phases and connections cover
 * the whole point. Verdicts, attainment, latencies, misses and strata belong to the judged window:
 * the steady one when a warm-up was declared, else the whole point.
 */
export interface PointSummary {
  readonly index: number;
  readonly load: PointLoad;
  readonly partial: boolean;
  /** Why the point ended: `duration`, `requests`, `interrupted`, `budget`, `ceiling`. */
  readonly stopReason: string;
  readonly ledger: Ledger;
  readonly dropReasons: Readonly<Record<string, number>>;
  readonly failureClasses: Readonly<Record<string, number>>;
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** Why requests are unjudged: the first unknown part and why, e.g. `tpot:tokensUnknown`. */
  readonly unjudgedReasons: Readonly<Record<string, number>>;
  readonly attainment: Attainment;
  readonly attainmentAdmitted: Attainment;
  readonly goodputRps: number | null;
  readonly rates: Rates;
  /** The same rates over the other windows. */
  readonly otherWindows: readonly Rates[];
  readonly errorShare: number | null;
  readonly dropShare: number | null;
  readonly refusalShare: number | null;
  readonly ttftFromPlannedNs: QuantileSummary;
  readonly ttftFromDispatchNs: QuantileSummary;
  /** First event of kind `answer`, whatever counts for TTFT. */
  readonly firstAnswerFromPlannedNs: QuantileSummary;
  readonly firstAnswerFromDispatchNs: QuantileSummary;
  readonly scheduleLagNs: QuantileSummary;
  readonly tpotNs: QuantileSummary;
  /** Which bases the TPOT values rest on. */
  readonly tpotBasis: { readonly observed: number; readonly estimated: number };
  /** Token gaps; n = 0 unless streams were token-aligned. */
  readonly itlNs: QuantileSummary;
  readonly chunkGapNs: QuantileSummary;
  /** Share of gaps of zero, i.e. events that came in one socket read. */
  readonly zeroGapShare: number | null;
  readonly completionNs: QuantileSummary;
  readonly completionFromPlannedNs: QuantileSummary;
  readonly queueDelayNs: QuantileSummary;
  readonly inFlightMean: number | null;
  readonly inFlightP99: number | null;
  /** Whether the backlog grew while load was offered: latencies then depend on the duration. */
  readonly backlogGrowing: boolean;
  /** Misses by objective, and how many missed only that one. */
  readonly misses: readonly {
    readonly objective: ObjectiveName;
    readonly missed: number;
    readonly soleMiss: number;
    readonly unknown: number;
    readonly notApplicable: number;
    /** Of the missed, by machine word: `{overLimit: 7}`. */
    readonly reasons: Readonly<Record<string, number>>;
  }[];
  readonly population: readonly PopulationResult[];
  /** Whether each asked marginal (p95 of TTFT alone, …) would have passed. */
  readonly marginalsPass: boolean | null;
  readonly marginals: readonly Marginal[];
  readonly promptBuckets: readonly StratumSummary[];
  /** Where the lengths behind the prompt buckets come from, in requests. */
  readonly promptTokensFrom: Readonly<Record<Judgement['promptTokensFrom'], number>>;
  readonly outputBuckets: readonly StratumSummary[];
  /** Before steady state and the rest, by connection, and by address where there are several. */
  readonly phases: readonly StratumSummary[];
  /** How the warm-up was found that the steady window leaves out. */
  readonly warmUp: {
    readonly basis: 'declared' | 'detected' | 'none';
    /** Its end; `null` without one. */
    readonly untilNs: number | null;
  };
  /** By tenant or class, when the objective asks for the worst of them. */
  readonly groups: readonly StratumSummary[];
  readonly promptTokens: QuantileSummary;
  readonly outputTokens: QuantileSummary;
  /** Completed answers by finish reason; `none` where the server gave none. */
  readonly finishReasons: Readonly<Record<string, number>>;
  /** Cached share of prompt tokens as the server told; `null` when it did not. */
  readonly cachedTokenShare: number | null;
  /** Completed requests that told it. */
  readonly cachedTokenToldCount: number;
  /** Speculative decoding as answers told it, over the whole point; `null` when none did. */
  readonly draft: DraftSummary | null;
  /** `null` without a local tokenizer. */
  readonly tokenAgreement: TokenAgreement | null;
  /** The provider's limits as its responses told them, over the whole point; empty when none did. */
  readonly limits: readonly LimitSummary[];
  /** `null` when no request could be tried again. */
  readonly tries: TriesSummary | null;
  readonly littlesLaw: {
    readonly lMean: number | null;
    readonly lambdaRps: number | null;
    readonly wMeanNs: number | null;
    /**
     * Exact path check: ∫ of the generator's own in-flight count − Σ sojourns of the records, as a
     * share of the latter. `null` when the records do not hold the generator's count.
     */
    readonly pathGapShare: number | null;
    readonly stationaryGapShare: number | null;
  };
  /** `null` where requests are single, and where a crash leaves unknown what was to follow. */
  readonly sessions: SessionsSummary | null;
  readonly clientError: ClientError;
  readonly validity: Validity;
}

/** Tokens that a draft proposed and the model took, of completed answers that told. */
export interface DraftSummary {
  readonly proposedTokens: number;
  readonly acceptedTokens: number;
  /** accepted / proposed. */
  readonly acceptedShare: number | null;
  /** Answers that told. */
  readonly toldCount: number;
}

/** One of the provider's limits over a point. */
export interface LimitSummary {
  readonly of: LimitedUnit;
  readonly per: ToldLimit['per'];
  /** The smallest that was told; `null` when only what is left was. */
  readonly limit: number | null;
  /** The least that was ever left. */
  readonly leastRemaining: number | null;
  /** Responses that told it, errors included. */
  readonly toldCount: number;
}

/**
 * A load with a retry policy, counted by try. Its ledger and attainment have a row a try; those of the
 * point have one a request, from its first try to its last one's outcome.
 */
export interface TriesSummary {
  /** Tries that left the client. */
  readonly sent: number;
  /** Requests of which at least one try did. */
  readonly requests: number;
  /** sent / requests: 1 = nothing was tried again. All above 1 is extra load by the client. */
  readonly amplification: number | null;
  /** Tries sent a second while load was offered: what the service was asked for. */
  readonly sentRps: number | null;
  /** Requests of more than one try, and those of them that completed in the end. */
  readonly retried: number;
  readonly recovered: number;
  /** Tries of the request with most of them, dropped ones included. */
  readonly most: number;
  readonly ledger: Ledger;
  readonly failureClasses: Readonly<Record<string, number>>;
  /** Of tries due in the judged window, each from its own due instant. */
  readonly attainment: Attainment;
}

/** The knee of a sweep: the largest load that met the attainment target, as did all below it. */
export interface SweepKnee {
  readonly target: number;
  /** Requests/s, streams, users or time scale; `null` when the lowest load did not meet it. */
  readonly level: number | null;
  readonly goodputRps: number | null;
  /** The largest such load whose interval lies above the target; `null` when none does. */
  readonly provenLevel: number | null;
  /** The first load that did not meet it; `null` when all did: the knee is beyond the sweep. */
  readonly next: {
    readonly level: number;
    readonly state: 'missed' | 'notEnoughData';
    readonly share: number | null;
  } | null;
  /** Loads that met it above one that did not: luck or noise. */
  readonly metAbove: readonly number[];
}

export interface Summary {
  readonly schemaVersion: typeof SUMMARY_SCHEMA_VERSION;
  readonly tool: { readonly name: 'goodput'; readonly version: string };
  readonly experimentHash: string;
  readonly source: 'measured' | 'simulated' | 'imported';
  readonly clock: 'client' | 'edge' | 'server';
  /** Prefix cache policy the verdict belongs to: `unique` | `shared` | … */
  readonly prefixCache: string;
  readonly objective: Objective | null;
  /** `null` when the client was not calibrated. */
  readonly calibration: SummaryCalibration | null;
  readonly points: readonly PointSummary[];
  readonly partial: boolean;
  /** `null` for a single load point, and without an attainment target. */
  readonly knee: SweepKnee | null;
  /** `null` when no population target was set. */
  readonly verdict: 'met' | 'missed' | 'notEnoughData' | null;
  /** Whether the verdict is proven: a miss by one target, else every target; `null` without verdict. */
  readonly proven: boolean | null;
  readonly validity: Validity;
}
