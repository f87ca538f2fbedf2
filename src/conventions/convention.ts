/**
 * What a convention is: how one tool defines its figures, in words with their source and as rules
 * that make the figures from our records.
 *
 * The rules are written as changes to goodput's own definition, one at a time. So each figure of the
 * tool comes with a bridge: what every change contributes to the difference.
 */
import type { Distribution } from './distribution.ts';
import type { Sample } from './sample.ts';

export const CONVENTION_NAMES = [
  'vllm-bench',
  'aiperf',
  'guidellm',
  'genai-bench',
  'mlperf',
  'llmperf',
] as const;

export type ConventionName = (typeof CONVENTION_NAMES)[number];

/** What tools define differently: the rows of the table in docs/guides/conventions.md. */
export const TOPICS = [
  'clock starts',
  'TTFT',
  'TPOT',
  'gaps',
  'end to end',
  'output tokens',
  'throughput',
  'failures',
  'percentiles',
  'goodput',
  'left out',
] as const;

export type Topic = (typeof TOPICS)[number];

export interface Convention {
  readonly name: ConventionName;
  readonly title: string;
  readonly source: ConventionSource;
  /** One clause for each topic, read in the source. */
  readonly says: Readonly<Record<Topic, string>>;
  readonly latencies: readonly LatencyMeasure[];
  readonly rates: readonly RateMeasure[];
  /** Whether the tool counts the request as a success. */
  readonly isSuccess: Distribution['of'];
  /** Verdicts of the tool that are no figures, as sentences. */
  readonly statements: (sample: Sample) => readonly string[];
}

export interface ConventionSource {
  readonly repository: string;
  /** Release whose code was read. */
  readonly version: string;
  readonly files: readonly string[];
}

/** goodput's measure that a tool's is held against. */
export type OwnLatency = 'ttft' | 'tpot' | 'gap' | 'completion';

export interface LatencyMeasure {
  /** The tool's own name of it. */
  readonly name: string;
  readonly against: OwnLatency;
  readonly changes: readonly LatencyChange[];
  /** What these records do not tell and the tool would have; `null` = nothing is missing. */
  readonly lacks: Lack;
  /** What the name does not say, even where the figures agree; `null` = it says it. */
  readonly remark: (sample: Sample) => string | null;
}

export type Lack = (sample: Sample) => string | null;

/** One difference from goodput's definition, on top of those before it. */
export interface LatencyChange {
  /** The difference as one clause, with the number of requests it touches. */
  readonly why: (sample: Sample) => string;
  readonly to: Partial<Distribution>;
}

/** goodput's rate that a tool's is held against. */
export type OwnRate = 'completedRps' | 'outputTokensPerSecond' | 'goodRps';

export interface RateMeasure {
  readonly name: string;
  readonly against: OwnRate;
  readonly changes: readonly RateChange[];
  readonly lacks: Lack;
}

/** A count over a span. */
export interface Rate {
  readonly count: (sample: Sample) => number | null;
  readonly spanNs: (sample: Sample) => number | null;
}

export interface RateChange {
  readonly why: (sample: Sample) => string;
  readonly to: Partial<Rate>;
}

/** Nothing is lacking, nothing is to be remarked. */
export const NOTHING = (): null => null;
