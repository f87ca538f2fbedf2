/** Tells pauses of the whole machine from pauses of the event loop alone. Pure arithmetic. */

/** A span in which a thread should have run and did not, in milliseconds of one clock. */
export interface Pause {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Stalls {
  /** Longest pause of the loop that the machine does not explain; 0 when there was none. */
  readonly loopMaxMs: number;
  readonly hostCount: number;
  readonly hostMaxMs: number;
}

/** A loop tick may be late by a timer's grain and a callback or two before it counts as a pause. */
const LOOP_TOLERANCE_MS = 5;
/** A pause is compared with the machine's only once the meter has had time to wake and tell. */
const SETTLE_MS = 100;

export class StallSorter {
  #loopPauses: Pause[] = [];
  #hostPauses: Pause[] = [];
  #loopMaxMs = 0;
  #hostCount = 0;
  #hostMaxMs = 0;

  /** Pauses that the sleeping thread saw. */
  addHostPauses(pauses: readonly Pause[]): void {
    this.#hostPauses.push(...pauses);
  }

  /** The loop should have ticked at `dueMs` and did at `nowMs`. */
  loopTick(dueMs: number, nowMs: number): void {
    if (nowMs - dueMs > LOOP_TOLERANCE_MS) this.#loopPauses.push({ fromMs: dueMs, toMs: nowMs });
    this.#sort(nowMs - SETTLE_MS);
  }

  finish(): Stalls {
    this.#sort(Number.POSITIVE_INFINITY);
    return {
      loopMaxMs: this.#loopMaxMs,
      hostCount: this.#hostCount,
      hostMaxMs: this.#hostMaxMs,
    };
  }

  /** Decides all pauses that ended before `beforeMs` and forgets them. */
  #sort(beforeMs: number): void {
    while (this.#loopPauses[0] !== undefined && this.#loopPauses[0].toMs <= beforeMs) {
      const pause = this.#loopPauses.shift() as Pause;
      const sharedMs = this.#hostPauses.reduce((sum, host) => sum + overlapMs(pause, host), 0);
      if (sharedMs > 0) {
        this.#hostCount += 1;
        this.#hostMaxMs = Math.max(this.#hostMaxMs, sharedMs);
      }
      const ownMs = pause.toMs - pause.fromMs - sharedMs;
      if (ownMs > LOOP_TOLERANCE_MS) this.#loopMaxMs = Math.max(this.#loopMaxMs, ownMs);
    }
    const oldestMs = Math.min(beforeMs, this.#loopPauses[0]?.fromMs ?? beforeMs);
    this.#hostPauses = this.#hostPauses.filter(({ toMs }) => toMs > oldestMs);
  }
}

function overlapMs(a: Pause, b: Pause): number {
  return Math.max(0, Math.min(a.toMs, b.toMs) - Math.max(a.fromMs, b.fromMs));
}
