/** Counts a log record by record, in memory that grows with windows and strata, not with rows. */
import { measureRecord, type RequestRecord } from '../record/index.ts';
import {
  judgeMeasured,
  type Judgement,
  type Objective,
  type QuantileObjective,
} from '../slo/index.ts';
import { latencyBin } from './latency-bin.ts';
import {
  missedParts,
  rowQuantiles,
  type LogCounts,
  type BinCount,
  type SliceCounts,
} from './slice-counts.ts';
import { floorTo, sliceUsOf } from './window-table.ts';
import type { StratumKey, WindowSpec } from './window-spec.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface OpenSlice extends Mutable<Omit<SliceCounts, 'missed' | 'ttft' | 'tpot' | 'quantiles'>> {
  readonly missed: Record<string, number>;
  readonly ttft: { observed: number; within: number };
  readonly tpot: { observed: number; within: number };
  readonly quantiles: { observed: number; within: number }[];
}

/** Counts by bin of one window and stratum. */
interface OpenBins {
  readonly fromUs: number;
  readonly values: readonly string[];
  readonly ttft: Map<number, number>;
  readonly tpot: Map<number, number>;
}

/** Judges and counts the records of one log by one objective. */
export class LogTally {
  readonly #objective: Objective;
  readonly #by: WindowSpec;
  readonly #sliceUs: number | null;
  readonly #quantiles: readonly QuantileObjective[];
  readonly #slices = new Map<string, OpenSlice>();
  readonly #bins = new Map<string, OpenBins>();

  constructor(objective: Objective, by: WindowSpec) {
    this.#objective = objective;
    this.#by = by;
    this.#sliceUs = sliceUsOf(by);
    this.#quantiles = rowQuantiles(objective);
  }

  /** `startUs`: when the request was due, microseconds since 1970. */
  add(record: RequestRecord, startUs: number): void {
    const objective = this.#objective;
    const measures = measureRecord(record, { counts: objective.request.counts });
    const judgement = judgeMeasured(record, measures, objective);
    if (judgement.outcome === 'notReached') return;
    const values = this.#by.keys.map((key) => stratumValue(key, record, judgement));
    const slice = this.#sliceAt(startUs, values);
    slice[judgement.verdict] += 1;
    if (judgement.outcome === 'dropped') slice.dropped += 1;
    if (judgement.verdict === 'bad') countMiss(slice, judgement);
    if (judgement.outcome !== 'completed') return;
    const correct = judgement.objectives.some(
      ({ objective: part, state }) => part === 'correctness' && state === 'met',
    );
    if (correct) slice.succeeded += 1;
    const { from } = objective.request;
    const ttftNs = from === 'planned' ? measures.ttftFromPlannedNs : measures.ttftFromDispatchNs;
    const e2eNs = from === 'planned' ? measures.completionFromPlannedNs : measures.completionNs;
    const observed = {
      ttft: ttftNs,
      firstAnswer: null,
      tpot: measures.tpotNs,
      e2e: e2eNs,
      gap: null,
    };
    for (const [at, { measure, limitNs }] of this.#quantiles.entries()) {
      const ns = observed[measure];
      const counts = slice.quantiles[at];
      if (ns === null || counts === undefined) continue;
      counts.observed += 1;
      if (ns <= limitNs) counts.within += 1;
    }
    const bins = this.#binsAt(startUs, values);
    for (const [measure, ns] of [
      ['ttft', ttftNs],
      ['tpot', measures.tpotNs],
    ] as const) {
      if (ns === null) continue;
      const bin = latencyBin(ns);
      bins[measure].set(bin, (bins[measure].get(bin) ?? 0) + 1);
      const result = judgement.objectives.find((one) => one.objective === measure);
      if (result === undefined || result.limit === null) continue;
      slice[measure].observed += 1;
      if (ns <= result.limit) slice[measure].within += 1;
    }
  }

  counts(): LogCounts {
    return {
      slices: [...this.#slices.values()],
      bins: [...this.#bins.values()].flatMap((bins) => [...binCounts(bins)]),
    };
  }

  #sliceAt(startUs: number, values: readonly string[]): OpenSlice {
    const fromUs = floorTo(startUs, this.#sliceUs);
    const key = `${fromUs}\n${values.join('\n')}`;
    let slice = this.#slices.get(key);
    if (slice === undefined) {
      slice = {
        fromUs,
        values,
        good: 0,
        bad: 0,
        unjudged: 0,
        excluded: 0,
        dropped: 0,
        failed: 0,
        incorrect: 0,
        missed: {},
        ttft: { observed: 0, within: 0 },
        tpot: { observed: 0, within: 0 },
        succeeded: 0,
        quantiles: this.#quantiles.map(() => ({ observed: 0, within: 0 })),
      };
      this.#slices.set(key, slice);
    }
    return slice;
  }

  /** The bins of a window and stratum. */
  #binsAt(startUs: number, values: readonly string[]): OpenBins {
    const fromUs = floorTo(startUs, this.#by.windowUs);
    const key = `${fromUs}\n${values.join('\n')}`;
    let bins = this.#bins.get(key);
    if (bins === undefined) {
      bins = { fromUs, values, ttft: new Map(), tpot: new Map() };
      this.#bins.set(key, bins);
    }
    return bins;
  }
}

function countMiss(slice: OpenSlice, judgement: Judgement): void {
  const parts = missedParts(judgement);
  for (const part of parts) slice.missed[part] = (slice.missed[part] ?? 0) + 1;
  if (judgement.outcome !== 'completed') slice.failed += 1;
  else if (parts.includes('correctness')) slice.incorrect += 1;
}

function* binCounts({ fromUs, values, ...measures }: OpenBins): Generator<BinCount> {
  for (const measure of ['ttft', 'tpot'] as const) {
    for (const [bin, count] of measures[measure]) yield { fromUs, values, measure, bin, count };
  }
}

/** A label as results show it; what is not known is `unknown`. */
function stratumValue(key: StratumKey, record: RequestRecord, judgement: Judgement): string {
  return key === 'bucket' ? judgement.promptBucket : (record.labels[key] ?? 'unknown');
}
