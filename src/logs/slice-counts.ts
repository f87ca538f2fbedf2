/**
 * What is counted of one slice of time and one stratum: all that a window's table needs. Counts
 * add up, so a judge may work in any order and on many files; SQL and TypeScript both give these.
 */
import type { Judgement, Objective, ObjectiveName, QuantileObjective } from '../slo/index.ts';

/** Latency of completed requests against its limit. */
export interface LimitCounts {
  readonly observed: number;
  readonly within: number;
}

export interface SliceCounts {
  /** Start of the slice, microseconds since 1970. */
  readonly fromUs: number;
  /** The stratum: one value for each key. */
  readonly values: readonly string[];
  readonly good: number;
  readonly bad: number;
  readonly unjudged: number;
  readonly excluded: number;
  readonly dropped: number;
  /** Of the bad: without a complete answer. */
  readonly failed: number;
  /** Of the bad: completed with a wrong answer, whatever its latency. */
  readonly incorrect: number;
  /** Requests that missed each part; one request may miss several. */
  readonly missed: Readonly<Partial<Record<ObjectiveName, number>>>;
  readonly ttft: LimitCounts;
  readonly tpot: LimitCounts;
  /** Completed and correct. */
  readonly succeeded: number;
  /** Of completed requests, one for each quantile target that rows can answer, in order. */
  readonly quantiles: readonly LimitCounts[];
}

/** How many latencies of a window and stratum lie in one bin. */
export interface BinCount {
  readonly fromUs: number;
  readonly values: readonly string[];
  readonly measure: 'ttft' | 'tpot';
  readonly bin: number;
  readonly count: number;
}

/** Everything counted of one log by one objective. */
export interface LogCounts {
  readonly slices: readonly SliceCounts[];
  readonly bins: readonly BinCount[];
}

/** Counts of several logs add up. */
export function mergedCounts(counts: readonly LogCounts[]): LogCounts {
  return {
    slices: counts.flatMap(({ slices }) => slices),
    bins: counts.flatMap(({ bins }) => bins),
  };
}

/** The quantile targets a flat row can answer: all but those of pooled gaps. */
export function rowQuantiles(objective: Objective): readonly QuantileObjective[] {
  return objective.population.quantiles.filter(({ measure }) => measure !== 'gap');
}

/** Slices a window is cut into, so that its interval can tell requests that hang together. */
export const SLICES_PER_WINDOW = 20;

/** Of a judgement: which parts were missed. */
export function missedParts(judgement: Judgement): ObjectiveName[] {
  return judgement.objectives
    .filter((result) => result.state === 'missed')
    .map((result) => result.objective);
}
