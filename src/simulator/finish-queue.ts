/**
 * Which running request ends next. Every running request gains one token a step, so the step in
 * which it ends is known when it starts and the order never changes.
 *
 * A sorted array: batches hold tens of requests, where shifting beats a heap.
 */
export class FinishQueue {
  // One double holds step and slot; the nearest end is last.
  readonly #keys: Float64Array;
  readonly #slotBase: number;
  #size = 0;
  #firstStep = Number.POSITIVE_INFINITY;

  /** `slots`: the most requests held at once; they are named 0 … slots − 1. */
  constructor(slots: number) {
    this.#keys = new Float64Array(slots);
    this.#slotBase = 2 ** Math.ceil(Math.log2(slots + 1));
  }

  get size(): number {
    return this.#size;
  }

  /** The step in which the next request ends; infinite when there is none. */
  get firstStep(): number {
    return this.#firstStep;
  }

  push(step: number, slot: number): void {
    const keys = this.#keys;
    const key = step * this.#slotBase + slot;
    let at = this.#size;
    while (at > 0 && (keys[at - 1] as number) < key) {
      keys[at] = keys[at - 1] as number;
      at -= 1;
    }
    keys[at] = key;
    this.#size += 1;
    if (step < this.#firstStep) this.#firstStep = step;
  }

  /** Takes out the request that ends next and gives its slot. */
  pop(): number {
    this.#size -= 1;
    const slot = (this.#keys[this.#size] as number) - this.#firstStep * this.#slotBase;
    this.#firstStep =
      this.#size === 0
        ? Number.POSITIVE_INFINITY
        : Math.floor((this.#keys[this.#size - 1] as number) / this.#slotBase);
    return slot;
  }
}
