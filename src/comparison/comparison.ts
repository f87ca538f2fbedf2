/** The result of comparing two sides: what `comparison.json` holds. */
import type { JsonValue } from '../base/index.ts';
import type { ConfidenceInterval } from '../stats/index.ts';
import type { ChangeVerdict } from './change-verdict.ts';
import type { HypothesisAnswer } from './hypothesis.ts';
import type { MetricGroup, MetricScale } from './metric.ts';
import type { FactDifference } from './question.ts';

export const COMPARISON_SCHEMA_VERSION = 1;

/**
 * How the two sides were measured, from the strongest claim to the weakest:
 * - `interleaved`: windows of both in turn, A B B A, with the same arrivals and lengths per pair;
 * - `restarts`: the same on one address, switched between windows;
 * - `storedRuns`: two runs made one after the other, cut into slices;
 * - `baseline`: one run against the spread of earlier ones.
 */
export type ComparisonDesign = 'interleaved' | 'restarts' | 'storedRuns' | 'baseline';

/** What one row of differences stands for. */
export type ComparisonUnit = 'pair' | 'block' | 'slice' | 'run';

/** One metric on both sides. Shares and changes are in [0, 1] terms, times in nanoseconds. */
export interface MetricComparison {
  readonly metric: string;
  readonly group: MetricGroup;
  readonly scale: MetricScale;
  readonly better: 'higher' | 'lower' | 'neither';
  /** Units that gave a value on both sides. */
  readonly pairs: number;
  /** Over windows: the geometric mean of a `relative` metric, else the mean. */
  readonly a: number | null;
  readonly b: number | null;
  /** b / a − 1, or b − a of shares; `null` without a pair. */
  readonly change: number | null;
  readonly interval: ConfidenceInterval | null;
  /** Chance of as striking a difference in any metric, were the sides the same. */
  readonly adjustedP: number | null;
  readonly minimumEffect: number;
  /** How far two equal sides were found apart; `null` when not measured. */
  readonly noiseFloor: number | null;
  /** True difference that 80 % of such comparisons would show; `null` when not known. */
  readonly detectable: number | null;
  /** Deviation of one unit's difference on the metric's own scale; `null` below two units. */
  readonly deviation: number | null;
  readonly verdict: ChangeVerdict;
}

export interface ComparedSide {
  /** What a reader calls it: an address, a folder. */
  readonly label: string;
  readonly runIds: readonly string[];
}

export interface Attribution {
  /** False when the sides were not asked the same; then there is no verdict over all. */
  readonly allowed: boolean;
  /** Facts of the question that differ. */
  readonly differing: readonly FactDifference[];
  /** Facts of the system that differ: what a shown difference may be due to. */
  readonly systemChanges: readonly FactDifference[];
  /** What this design cannot tell apart, in words. */
  readonly caveats: readonly string[];
}

export interface Comparison {
  readonly schemaVersion: typeof COMPARISON_SCHEMA_VERSION;
  readonly tool: { readonly name: 'goodput'; readonly version: string };
  readonly design: ComparisonDesign;
  readonly unit: ComparisonUnit;
  /** Both sides are the same target: what is found is noise. */
  readonly isNoiseFloor: boolean;
  readonly a: ComparedSide;
  readonly b: ComparedSide;
  readonly questionHash: string;
  readonly objective: JsonValue;
  /** Of all intervals. */
  readonly level: number;
  /** Units measured, and those that may not be compared, with the reason. */
  readonly unitsMeasured: number;
  readonly excluded: readonly { readonly unit: number; readonly reason: string }[];
  readonly metrics: readonly MetricComparison[];
  readonly floorFrom: 'measured' | 'cached' | null;
  /** Metrics in which equal sides differed by more than chance. */
  readonly biasedMetrics: readonly string[];
  readonly attribution: Attribution;
  readonly hypothesis: HypothesisAnswer | null;
  /** Over the service metrics; `notComparable` when attribution is refused. */
  readonly verdict: Exclude<ChangeVerdict, 'changed'> | 'notComparable';
  /** Over the quality metrics. */
  readonly quality: ChangeVerdict;
}
