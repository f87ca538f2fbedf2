import type { Clock } from '../base/index.ts';

interface Boundary {
  readonly atNs: number;
  readonly action: () => void;
}

/**
 * The ends of the steps of several replicas on one clock. At one instant they come in the order of
 * the replicas' ranks, after everything that was due by then: who skips steps keeps the order of
 * who does each of them.
 */
export class StepBoundaries {
  readonly #clock: Clock;
  /** By rank. */
  readonly #pending = new Map<number, Boundary>();
  #armedNs = Number.POSITIVE_INFINITY;
  #disarm: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `action` at `atNs`, in place of what was set for this rank before. */
  set(rank: number, atNs: number, action: () => void): void {
    this.#pending.set(rank, { atNs, action });
    if (atNs < this.#armedNs) this.#arm(atNs);
  }

  #arm(atNs: number): void {
    this.#disarm();
    this.#armedNs = atNs;
    this.#disarm = this.#clock.at(atNs, () => {
      // Once more, to come after what was armed for this instant in the meantime.
      this.#disarm = this.#clock.at(atNs, () => this.#reach(atNs));
    });
  }

  #reach(atNs: number): void {
    for (let rank = this.#firstRankAt(atNs); rank !== null; rank = this.#firstRankAt(atNs)) {
      const boundary = this.#pending.get(rank);
      this.#pending.delete(rank);
      boundary?.action();
    }
    this.#armedNs = Number.POSITIVE_INFINITY;
    let nextNs = Number.POSITIVE_INFINITY;
    for (const boundary of this.#pending.values()) nextNs = Math.min(nextNs, boundary.atNs);
    if (nextNs < Number.POSITIVE_INFINITY) this.#arm(nextNs);
  }

  #firstRankAt(atNs: number): number | null {
    let first: number | null = null;
    for (const [rank, boundary] of this.#pending) {
      if (boundary.atNs === atNs && (first === null || rank < first)) first = rank;
    }
    return first;
  }
}
