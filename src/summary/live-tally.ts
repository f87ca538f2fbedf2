/** What can be said of a load point while it runs: a few counts, and the attainment so far. */
import { LogicalJoin, type RequestRecord } from '../record/index.ts';
import { judge, type Objective, type Outcome, type Verdict } from '../slo/index.ts';
import {
  BATCH_COUNT,
  type ConfidenceInterval,
  queueDesignEffect,
  shareEstimate,
  type TimeBatch,
} from '../stats/index.ts';
import { isPathGrowing } from './backlog.ts';

export interface LiveTallyOptions {
  readonly objective: Objective;
  readonly startNs: number;
  /** Planned end of the offering. */
  readonly stopNs: number;
  /** Requests planned before do not count for attainment; `null` = all do. */
  readonly steadyFromNs: number | null;
  /** When each request is due, where that is known before: an open loop. `null` = it is not. */
  readonly dueNs: Iterable<number> | null;
}

/**
 * Attainment of the requests due first, up to the first one whose fate is not known. Those that end
 * early are the fast ones, so counting whatever has ended would flatter an overloaded service. Of a
 * closed loop it is what has ended: its due instants are not known.
 */
export interface LiveAttainment {
  readonly good: number;
  readonly offered: number;
  /** good / offered, unknown counted as bad; `null` when nothing was offered. */
  readonly share: number | null;
  /** `null` with too little data, and while the backlog grows. */
  readonly interval: ConfidenceInterval | null;
}

/** One look at a running point. */
export interface LivePoint {
  /** Of all records so far, warm-up included. */
  readonly verdicts: Readonly<Record<Verdict, number>>;
  readonly outcomes: Readonly<Record<Exclude<Outcome, 'notReached'>, number>>;
  readonly attainment: LiveAttainment;
  /** Asked attainment; `null` = none. */
  readonly targetShare: number | null;
}

/** Fine beside any plausible straggler, and a multiple of the batches. */
const BINS = 16 * BATCH_COUNT;
/** Looks kept of the path of the queue; when full, every second one goes. */
const LEVELS_MOST = 8_192;

/**
 * Counts the records of one load point as they come. Adding one costs its judgement and a few
 * additions; nothing of a request is kept. A look costs as much however many were added.
 */
export class LiveTally {
  readonly #options: LiveTallyOptions;
  readonly #good = new Int32Array(BINS);
  readonly #offered = new Int32Array(BINS);
  readonly #ended = new Int32Array(BINS);
  readonly #due: Int32Array | null;
  readonly #verdicts: Record<Verdict, number> = { good: 0, bad: 0, excluded: 0, unjudged: 0 };
  readonly #outcomes: Record<Exclude<Outcome, 'notReached'>, number> = {
    dropped: 0,
    refused: 0,
    failed: 0,
    cancelled: 0,
    timedOut: 0,
    completed: 0,
  };
  readonly #join = new LogicalJoin((request) => this.#add(request));
  #levels: number[] = [];
  /** Every so many looks one is kept. */
  #stride = 1;
  #looks = 0;

  constructor(options: LiveTallyOptions) {
    this.#options = options;
    this.#due = options.dueNs === null ? null : new Int32Array(BINS);
    for (const atNs of options.dueNs ?? []) {
      const bin = this.#binOf(atNs);
      if (this.#due !== null) this.#due[bin] = (this.#due[bin] as number) + 1;
    }
  }

  /** Takes the record of a try; its request counts once its fate is known. */
  add(record: RequestRecord): void {
    this.#join.add(record);
  }

  #add(record: RequestRecord): void {
    const { plannedNs } = record.dispatch;
    if (record.dispatch.kind === 'notReached' || plannedNs === null) return;
    const { verdict, outcome } = judge(record, this.#options.objective);
    this.#verdicts[verdict] += 1;
    if (outcome !== 'notReached') this.#outcomes[outcome] += 1;
    const bin = this.#binOf(plannedNs);
    this.#ended[bin] = (this.#ended[bin] as number) + 1;
    const { steadyFromNs } = this.#options;
    if (steadyFromNs !== null && plannedNs < steadyFromNs) return;
    if (verdict !== 'excluded') this.#offered[bin] = (this.#offered[bin] as number) + 1;
    if (verdict === 'good') this.#good[bin] = (this.#good[bin] as number) + 1;
  }

  /** Call it at equal intervals: `inFlightCount` is one more place on the path of the queue. */
  look(inFlightCount: number): LivePoint {
    this.#keepLevel(inFlightCount);
    return {
      verdicts: { ...this.#verdicts },
      outcomes: { ...this.#outcomes },
      attainment: this.#attainment(inFlightCount),
      targetShare: this.#options.objective.population.attainmentShare,
    };
  }

  #attainment(inFlightCount: number): LiveAttainment {
    const batches = this.#batches();
    const good = batches.reduce((sum, batch) => sum + batch.good, 0);
    const offered = batches.reduce((sum, batch) => sum + batch.offered, 0);
    if (offered === 0) return { good, offered, share: null, interval: null };
    const started = inFlightCount + this.#ended.reduce((sum, count) => sum + count, 0);
    const growing =
      this.#due !== null && this.#levels.length >= BATCH_COUNT && isPathGrowing(this.#path());
    const linked = queueDesignEffect(this.#levels, started);
    const interval = growing ? null : (shareEstimate(batches, linked)?.interval ?? null);
    return { good, offered, share: good / offered, interval };
  }

  /** The settled bins from the end of the warm-up, merged into equal stretches of time. */
  #batches(): TimeBatch[] {
    const { steadyFromNs, startNs } = this.#options;
    const fromBin = this.#binOf(steadyFromNs ?? startNs);
    const width = this.#settledBins() - fromBin;
    const batches = Array.from({ length: BATCH_COUNT }, () => ({ good: 0, offered: 0 }));
    for (let bin = 0; bin < width; bin += 1) {
      const batch = batches[Math.floor((bin * BATCH_COUNT) / width)];
      if (batch === undefined) continue;
      batch.good += this.#good[fromBin + bin] as number;
      batch.offered += this.#offered[fromBin + bin] as number;
    }
    return batches;
  }

  /** How many bins from the start hold no request that is still open; then those that had any. */
  #settledBins(): number {
    let settled = 0;
    for (let bin = 0; bin < BINS; bin += 1) {
      if (this.#due !== null && this.#ended[bin] !== this.#due[bin]) break;
      // Empty bins ahead are no time that has passed.
      if (this.#ended[bin] !== 0) settled = bin + 1;
    }
    return settled;
  }

  /** Mean in-flight of equal parts of the time so far. */
  #path(): number[] {
    const { length } = this.#levels;
    return Array.from({ length: BATCH_COUNT }, (_, part) => {
      const from = Math.floor((part * length) / BATCH_COUNT);
      const to = Math.floor(((part + 1) * length) / BATCH_COUNT);
      const levels = this.#levels.slice(from, to);
      return levels.reduce((sum, level) => sum + level, 0) / levels.length;
    });
  }

  #keepLevel(level: number): void {
    if (this.#looks % this.#stride === 0) this.#levels.push(level);
    this.#looks += 1;
    if (this.#levels.length < LEVELS_MOST) return;
    this.#levels = this.#levels.filter((_, index) => index % 2 === 0);
    this.#stride *= 2;
  }

  #binOf(atNs: number): number {
    const { startNs, stopNs } = this.#options;
    const part = (atNs - startNs) / Math.max(1, stopNs - startNs);
    return Math.min(BINS - 1, Math.max(0, Math.floor(part * BINS)));
  }
}
