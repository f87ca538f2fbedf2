/** Watches one window of a search while it runs: ends it where all is plain, or all is lost. */
import { nsFromSeconds, secondsFromNs } from '../base/index.ts';
import { LogicalJoin, type RequestRecord } from '../record/index.ts';
import { judge, type Objective } from '../slo/index.ts';
import { sequentialSide, type TimeBatch } from '../stats/index.ts';
import type { Schedule } from '../workload/index.ts';

/** When a window is stopped because going on would only hurt. */
export interface CircuitBreakers {
  /** Failed and timed-out requests as a share of those that ended. */
  readonly errorShare: number;
  readonly consecutiveFailures: number;
  /** Requests waiting or in flight, in seconds of arrivals. */
  readonly backlogSeconds: number;
}

export const DEFAULT_BREAKERS: CircuitBreakers = {
  errorShare: 0.5,
  consecutiveFailures: 25,
  backlogSeconds: 60,
};

export interface WindowWatchOptions {
  readonly objective: Objective;
  readonly targetShare: number;
  readonly schedule: Schedule;
  /** Judged part, from the point's start. */
  readonly fromNs: number;
  readonly toNs: number;
  /** Whether the sequential test may end it; only an open loop's arrivals are known beforehand. */
  readonly stopsEarly: boolean;
  readonly breakers: CircuitBreakers;
}

export interface WatchStop {
  readonly ending: 'clearlyMet' | 'clearlyMissed' | 'broken';
  readonly why: string;
}

/** The judged part is cut into so many batches. */
const BATCHES = 12;
/** Chance of a wrong early end, over all looks at one window. */
const ALPHA = 0.05;
/** Below so many ended requests a share of errors says nothing; below so many waiting, no backlog. */
const REQUESTS_MIN = 50;

export class WindowWatch {
  readonly #options: WindowWatchOptions;
  readonly #stop = new AbortController();
  readonly #cancel = new AbortController();
  readonly #batches: { good: number; offered: number; readonly due: number; ended: number }[];
  readonly #dueNs: readonly number[];
  readonly #join = new LogicalJoin((request) => this.#add(request));
  #stopped: WatchStop | null = null;
  #ended = 0;
  #failed = 0;
  #failedInARow = 0;

  constructor(options: WindowWatchOptions) {
    this.#options = options;
    this.#dueNs = options.schedule.requests.flatMap(({ release }) =>
      release.kind === 'at' ? [release.atNs] : [],
    );
    this.#batches = Array.from({ length: BATCHES }, (_, batch) => ({
      good: 0,
      offered: 0,
      due: this.#dueNs.filter((atNs) => this.#batchOf(atNs) === batch).length,
      ended: 0,
    }));
  }

  /** Aborted when the window is to end. */
  get stopStarts(): AbortSignal {
    return this.#stop.signal;
  }

  /** Aborted when what is in flight would only keep an overloaded server busy. */
  get cancelAll(): AbortSignal {
    return this.#cancel.signal;
  }

  /** Why the watch ended the window; `null` when it did not. */
  get stopped(): WatchStop | null {
    return this.#stopped;
  }

  /** Counts over the judged part so far, for windows whose records are not kept. */
  get counts(): TimeBatch {
    const total = { good: 0, offered: 0 };
    for (const { good, offered } of this.#batches) {
      total.good += good;
      total.offered += offered;
    }
    return total;
  }

  /** Takes the record of each try; its request counts once it has ended. */
  add(record: RequestRecord): void {
    this.#join.add(record);
  }

  #add(record: RequestRecord): void {
    if (this.#stopped !== null || record.dispatch.kind === 'notReached') return;
    const { objective, schedule } = this.#options;
    const { verdict, outcome } = judge(record, objective);
    this.#ended += 1;
    const failed = outcome === 'failed' || outcome === 'timedOut';
    this.#failed += failed ? 1 : 0;
    this.#failedInARow = failed ? this.#failedInARow + 1 : 0;
    const release = schedule.requests[record.scheduleIndex]?.release;
    if (release?.kind === 'at') {
      const batch = this.#batches[this.#batchOf(release.atNs)];
      if (batch !== undefined) {
        batch.ended += 1;
        if (verdict !== 'excluded') batch.offered += 1;
        if (verdict === 'good') batch.good += 1;
      }
      const doneNs = record.timeline?.doneNs ?? record.timeline?.bodyEndNs ?? null;
      if (doneNs !== null) this.#lookAtBacklog(release.atNs + doneNs - record.dispatch.plannedNs);
    }
    this.#lookAtFailures();
    if (this.#options.stopsEarly) this.#lookAtBatches();
  }

  #batchOf(atNs: number): number {
    const { fromNs, toNs } = this.#options;
    if (atNs < fromNs || atNs >= toNs) return -1;
    return Math.floor(((atNs - fromNs) * BATCHES) / (toNs - fromNs));
  }

  /** Only batches all of whose requests have ended: the slowest answers are the likely misses. */
  #lookAtBatches(): void {
    const complete: TimeBatch[] = [];
    for (const batch of this.#batches) {
      if (batch.ended < batch.due) break;
      complete.push(batch);
    }
    if (complete.length >= BATCHES) return;
    const side = sequentialSide(complete, { target: this.#options.targetShare, alpha: ALPHA });
    if (side === null) return;
    const after = `after ${complete.length} of ${BATCHES} parts`;
    if (side === 'above') this.#end('clearlyMet', `clearly above the target ${after}`);
    else this.#end('clearlyMissed', `clearly below the target ${after}`);
  }

  #lookAtFailures(): void {
    const { errorShare, consecutiveFailures } = this.#options.breakers;
    if (this.#failedInARow >= consecutiveFailures) {
      this.#end('broken', `${this.#failedInARow} requests failed in a row`);
    } else if (this.#ended >= REQUESTS_MIN && this.#failed > errorShare * this.#ended) {
      this.#end('broken', `${this.#failed} of ${this.#ended} requests failed`);
    }
  }

  #lookAtBacklog(nowNs: number): void {
    const { breakers, schedule } = this.#options;
    const inside = countUpTo(this.#dueNs, nowNs) - this.#ended;
    const perSecond = this.#dueNs.length / secondsFromNs(schedule.stopNs);
    const limit = Math.max(REQUESTS_MIN, perSecond * breakers.backlogSeconds);
    if (inside <= limit) return;
    const waiting = (inside / perSecond).toFixed(0);
    this.#end('broken', `${inside} requests inside, ${waiting} s of arrivals`);
  }

  #end(ending: WatchStop['ending'], why: string): void {
    this.#stopped ??= { ending, why };
    this.#stop.abort();
    if (ending !== 'clearlyMet') this.#cancel.abort();
  }
}

/** The judged part of a window, from its start. */
export function judgedPart(window: { readonly warmupSeconds: number; readonly seconds: number }): {
  readonly fromNs: number;
  readonly toNs: number;
} {
  const fromNs = nsFromSeconds(window.warmupSeconds);
  return { fromNs, toNs: fromNs + nsFromSeconds(window.seconds) };
}

/** How many of the ascending `values` are at most `limit`. O(log n). */
function countUpTo(values: readonly number[], limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
