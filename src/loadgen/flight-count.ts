/**
 * Requests in flight over several generators, as one generator would have counted them. Each
 * generator tells in its own order and a little later what started and ended; the count is kept by
 * the instants, which are of one clock.
 */

interface Change {
  readonly atNs: number;
  /** Of the request that started; `null` for an end. */
  readonly startedId: string | null;
}

export class FlightCount {
  /** By generator: all that happened to it before this instant has been told. */
  readonly #heardNs: number[];
  #changes: Change[] = [];
  #countedNs = Number.NEGATIVE_INFINITY;
  readonly #atStart = new Map<string, number>();
  #inFlight = 0;
  #max = 0;

  constructor(generators: number) {
    this.#heardNs = Array.from({ length: generators }, () => Number.NEGATIVE_INFINITY);
  }

  /** Most at once, as far as it is counted. */
  get max(): number {
    return this.#max;
  }

  started(requestId: string, atNs: number): void {
    this.#changes.push({ atNs, startedId: requestId });
  }

  ended(atNs: number): void {
    this.#changes.push({ atNs, startedId: null });
  }

  /** `generator` has told all that happened to it before `atNs`; for ever, when infinite. */
  heard(generator: number, atNs: number): void {
    this.#heardNs[generator] = atNs;
    this.#advance(Math.min(...this.#heardNs));
  }

  /**
   * How many were in flight with the request when it started, once; `null` while a generator may
   * still tell of something before.
   */
  takeAtStart(requestId: string): number | null {
    const count = this.#atStart.get(requestId) ?? null;
    if (count !== null) this.#atStart.delete(requestId);
    return count;
  }

  #advance(untilNs: number): void {
    // Most news are not of the generator that the others wait for.
    if (untilNs <= this.#countedNs) return;
    this.#countedNs = untilNs;
    const due = this.#changes.filter(({ atNs }) => atNs < untilNs);
    if (due.length === 0) return;
    this.#changes = this.#changes.filter(({ atNs }) => atNs >= untilNs);
    // At one instant what ended makes room first, as in a generator that is alone.
    due.sort(
      (a, b) => a.atNs - b.atNs || Number(a.startedId !== null) - Number(b.startedId !== null),
    );
    for (const { startedId } of due) {
      if (startedId === null) this.#inFlight -= 1;
      else {
        this.#inFlight += 1;
        this.#max = Math.max(this.#max, this.#inFlight);
        this.#atStart.set(startedId, this.#inFlight);
      }
    }
  }
}
