/**
 * The preset `goodput-sweep`: the program of "Latency SLOs and goodput", which serves the same
 * kind of traffic at rising rates and judges every request against TTFT and TPOT together.
 */
import { SEED_COST } from '../engine/index.ts';
import { quantile, sortedCopy } from '../stats/index.ts';
import { isLevelGrowing } from '../summary/index.ts';
import { DecodeGaps } from './decode-gaps.ts';
import { driveBatch, type DriveMethod } from './drive-batch.ts';
import { type AttainmentCounts, type SweepObjective, SweepTally } from './sweep-tally.ts';
import { sweepSource } from './sweep-workload.ts';

export interface SweepOptions {
  readonly durationSeconds: number;
  readonly cutSeconds: number;
  readonly seed: number;
  readonly tokenBudget: number;
  readonly maxSequences: number;
  readonly objective: SweepObjective;
  /** Whether a request that ends takes away exactly the context it brought. */
  readonly leakFree: boolean;
  readonly method: DriveMethod;
  readonly splitTokens: number | null;
  /** Whether to gather every gap between tokens. */
  readonly gaps: boolean;
}

/** What the document's program has as constants. */
export const SWEEP_DEFAULTS: SweepOptions = {
  durationSeconds: 300,
  cutSeconds: 30,
  seed: 3,
  tokenBudget: 512,
  maxSequences: 256,
  objective: { ttftSeconds: 1, tpotSeconds: 0.015 },
  leakFree: false,
  method: 'skip',
  splitTokens: null,
  gaps: false,
};

/** The document's loads, requests per second. */
export const SWEEP_RATES: readonly number[] = [4, 6, 7, 7.5, 8, 9, 10, 11, 12, 13];

/**
 * - `growingBacklog`: the figures depend on how long one looked;
 * - `noInterval`: one draw of consecutive requests, which share a queue: it says nothing of its error.
 */
export type SweepFlag = 'growingBacklog' | 'noInterval';

export interface SweepRow {
  readonly offeredRps: number;
  readonly counts: AttainmentCounts;
  /** `null` without {@link SweepOptions.splitTokens}. */
  readonly split: { readonly below: AttainmentCounts; readonly from: AttainmentCounts } | null;
  /** Output tokens of all requests that arrived in the window, per second of the window. */
  readonly outputTps: number;
  /** `null` when no request arrived in the window, as with every figure below that is a share. */
  readonly ttftP95Seconds: number | null;
  readonly tpotP95Seconds: number | null;
  /** Whether both p95s are within the objective. */
  readonly p95sPass: boolean | null;
  readonly attainedShare: number | null;
  readonly goodputRps: number;
  /** `null` without {@link SweepOptions.gaps} or when no token followed another. */
  readonly itl: { readonly p50Seconds: number; readonly p99Seconds: number } | null;
  readonly flags: readonly SweepFlag[];
}

/** One row of the table: a rate, served until its last request has ended. */
export function sweepRow(offeredRps: number, options: SweepOptions): SweepRow {
  const { durationSeconds, cutSeconds, objective } = options;
  const tally = new SweepTally({
    objective,
    window: options,
    splitTokens: options.splitTokens,
    keepsLatencies: true,
  });
  const gaps = options.gaps ? new DecodeGaps(SEED_COST, windowOf(options)) : null;
  serveSweep(offeredRps, options, tally, gaps);
  const { requests, good } = tally.all;
  const spanSeconds = durationSeconds - 2 * cutSeconds;
  const ttftP95Seconds = p95(tally.ttftSeconds);
  const tpotP95Seconds = p95(tally.tpotSeconds);
  const p50Seconds = gaps?.quantileSeconds(0.5) ?? null;
  const p99Seconds = gaps?.quantileSeconds(0.99) ?? null;
  return {
    offeredRps,
    counts: tally.all,
    split: options.splitTokens === null ? null : { below: tally.below, from: tally.from },
    outputTps: tally.outputTokens / spanSeconds,
    ttftP95Seconds,
    tpotP95Seconds,
    p95sPass:
      ttftP95Seconds === null || tpotP95Seconds === null
        ? null
        : ttftP95Seconds <= objective.ttftSeconds && tpotP95Seconds <= objective.tpotSeconds,
    attainedShare: requests === 0 ? null : good / requests,
    goodputRps: good / spanSeconds,
    itl: p50Seconds === null || p99Seconds === null ? null : { p50Seconds, p99Seconds },
    flags: isLevelGrowing(tally.meanInside(1), tally.meanInside(2))
      ? ['growingBacklog', 'noInterval']
      : ['noInterval'],
  };
}

/** Attainment alone, in memory that does not grow with the run. */
export function sweepCounts(offeredRps: number, options: SweepOptions): AttainmentCounts {
  const tally = new SweepTally({
    objective: options.objective,
    window: options,
    splitTokens: null,
    keepsLatencies: false,
  });
  serveSweep(offeredRps, options, tally, null);
  return tally.all;
}

function serveSweep(
  offeredRps: number,
  options: SweepOptions,
  tally: SweepTally,
  observer: DecodeGaps | null,
): void {
  const { tokenBudget, maxSequences, leakFree, method, durationSeconds, seed } = options;
  const source = sweepSource({ offeredRps, durationSeconds, seed });
  const leakTokens = leakFree ? 0 : 1;
  driveBatch(
    source,
    { cost: SEED_COST, tokenBudget, maxSequences, leakTokens, method, observer },
    tally,
  );
}

function windowOf({ durationSeconds, cutSeconds }: SweepOptions) {
  return { fromSeconds: cutSeconds, toSeconds: durationSeconds - cutSeconds };
}

function p95(values: readonly number[]): number | null {
  return values.length === 0 ? null : quantile(sortedCopy(values), 0.95, 'floorRank');
}
