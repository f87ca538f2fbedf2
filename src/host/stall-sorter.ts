/** Tells pauses of the whole machine from pauses of the event loop alone. Pure arithmetic. */

/** A span in which a thread should have run and did not, in milliseconds of one clock. */
export interface Pause {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A pause of the loop, and whose doing most of it was. */
export interface LoopStall extends Pause {
  readonly cause: 'loop' | 'host';
}

export interface Stalls {
  /** Longest pause of the loop that the machine does not explain; 0 when there was none. */
  readonly loopMaxMs: number;
  readonly hostCount: number;
  readonly hostMaxMs: number;
  /** All pauses by their end, or the longest {@link LISTED_MAX}. */
  readonly listed: readonly LoopStall[];
  /** Longest pause that is not listed; 0 when all are. */
  readonly unlistedMaxMs: number;
}

/** A loop tick may be late by a timer's grain and a callback or two before it counts as a pause. */
const TOLERANCE_MS = 5;
/** A pause is compared with the machine's only once the meter has had time to wake and tell. */
const SETTLE_MS = 100;
/** A manifest should not grow with the noise of a machine. */
export const LISTED_MAX = 2_000;

interface LoopPause extends Pause {
  /** Processor time this process had in it. */
  readonly cpuMs: number;
}

/**
 * A pause of the loop is the machine's as far as the sleeping thread stood still with it, or as
 * far as this process was given no processor time: waiting for a core is not being busy.
 */
export class StallSorter {
  #loopPauses: LoopPause[] = [];
  #hostPauses: Pause[] = [];
  #loopMaxMs = 0;
  #hostCount = 0;
  #hostMaxMs = 0;
  #listed: LoopStall[] = [];
  #unlistedMaxMs = 0;

  /** Pauses that the sleeping thread saw. */
  addHostPauses(pauses: readonly Pause[]): void {
    this.#hostPauses.push(...pauses);
  }

  /** The loop should have ticked at `dueMs` and did at `nowMs`, having used `cpuMs` since before. */
  loopTick(dueMs: number, nowMs: number, cpuMs: number): void {
    if (nowMs - dueMs > TOLERANCE_MS) this.#loopPauses.push({ fromMs: dueMs, toMs: nowMs, cpuMs });
    this.#sort(nowMs - SETTLE_MS);
  }

  finish(): Stalls {
    this.#sort(Number.POSITIVE_INFINITY);
    this.#dropShortest();
    return {
      loopMaxMs: this.#loopMaxMs,
      hostCount: this.#hostCount,
      hostMaxMs: this.#hostMaxMs,
      listed: this.#listed,
      unlistedMaxMs: this.#unlistedMaxMs,
    };
  }

  /** Decides all pauses that ended before `beforeMs` and forgets them. */
  #sort(beforeMs: number): void {
    while (this.#loopPauses[0] !== undefined && this.#loopPauses[0].toMs <= beforeMs) {
      const pause = this.#loopPauses.shift() as LoopPause;
      const pauseMs = pause.toMs - pause.fromMs;
      const togetherMs = this.#hostPauses.reduce((sum, host) => sum + overlapMs(pause, host), 0);
      const hostMs = Math.max(togetherMs, pauseMs - pause.cpuMs);
      if (hostMs > TOLERANCE_MS) {
        this.#hostCount += 1;
        this.#hostMaxMs = Math.max(this.#hostMaxMs, hostMs);
      }
      if (pauseMs - hostMs > TOLERANCE_MS) {
        this.#loopMaxMs = Math.max(this.#loopMaxMs, pauseMs - hostMs);
      }
      const cause = hostMs > pauseMs / 2 ? 'host' : 'loop';
      this.#listed.push({ fromMs: pause.fromMs, toMs: pause.toMs, cause });
    }
    if (this.#listed.length > 2 * LISTED_MAX) this.#dropShortest();
    const oldestMs = Math.min(beforeMs, this.#loopPauses[0]?.fromMs ?? beforeMs);
    this.#hostPauses = this.#hostPauses.filter(({ toMs }) => toMs > oldestMs);
  }

  #dropShortest(): void {
    const byLength = this.#listed.toSorted((a, b) => lengthMs(b) - lengthMs(a));
    const [longestLeftOut] = byLength.splice(LISTED_MAX);
    if (longestLeftOut === undefined) return;
    this.#unlistedMaxMs = Math.max(this.#unlistedMaxMs, lengthMs(longestLeftOut));
    this.#listed = byLength.toSorted((a, b) => a.toMs - b.toMs);
  }
}

function lengthMs(pause: Pause): number {
  return pause.toMs - pause.fromMs;
}

function overlapMs(a: Pause, b: Pause): number {
  return Math.max(0, Math.min(a.toMs, b.toMs) - Math.max(a.fromMs, b.fromMs));
}
