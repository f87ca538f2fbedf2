import { assert } from '../base/index.ts';
import { serviceOrder, type Sequence } from './sequence.ts';

/** Served places at the front that are kept before the line is moved up. */
const MOST_SERVED = 1_024;

/**
 * Sequences in the order of service. Who joins at the end, leaves at the front or returns to the
 * front (the common cases) costs the same however long the line is.
 */
export class WaitingLine {
  #places: Sequence[] = [];
  /** Index of the first; the places before it are served. */
  #front = 0;
  /** Behind the line, in no order, and not to be served before they are let in. */
  #newcomers: Sequence[] = [];

  get size(): number {
    return this.#places.length - this.#front + this.#newcomers.length;
  }

  /** The next to be served; newcomers are not. */
  first(): Sequence | undefined {
    return this.#places[this.#front];
  }

  /** Takes in a sequence that stays a newcomer until {@link letNewcomersIn}. */
  announce(sequence: Sequence): void {
    this.#newcomers.push(sequence);
  }

  /** Newcomers join the line; says whether there were any. */
  letNewcomersIn(): boolean {
    if (this.#newcomers.length === 0) return false;
    for (const sequence of this.#newcomers) this.join(sequence);
    this.#newcomers = [];
    return true;
  }

  join(sequence: Sequence): void {
    const at = this.#placeOf(sequence);
    if (at === this.#front && this.#front > 0) {
      this.#front -= 1;
      this.#places[this.#front] = sequence;
    } else {
      this.#places.splice(at, 0, sequence);
    }
  }

  leave(sequence: Sequence): void {
    const newcomer = this.#newcomers.indexOf(sequence);
    if (newcomer >= 0) {
      this.#newcomers.splice(newcomer, 1);
      return;
    }
    const at = this.#placeOf(sequence);
    assert(this.#places[at] === sequence, 'the sequence is not in the line');
    if (at !== this.#front) {
      this.#places.splice(at, 1);
      return;
    }
    this.#front += 1;
    if (this.#front < MOST_SERVED || this.#front * 2 < this.#places.length) return;
    this.#places = this.#places.slice(this.#front);
    this.#front = 0;
  }

  inOrder(): readonly Sequence[] {
    return [...this.#places.slice(this.#front), ...this.#newcomers.toSorted(serviceOrder)];
  }

  /** Index of the first place that does not go before `sequence`: its own, or where it belongs. */
  #placeOf(sequence: Sequence): number {
    const last = this.#places.at(-1);
    if (
      this.#places.length === this.#front ||
      last === undefined ||
      serviceOrder(last, sequence) < 0
    ) {
      return this.#places.length;
    }
    let low = this.#front;
    let high = this.#places.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (serviceOrder(this.#places[middle] as Sequence, sequence) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
