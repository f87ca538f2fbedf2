/** A growing column of numbers, for the few pools that grow with events and not with requests. */

/** Eight bytes a value; a million gaps take 8 MB. */
export class NumberColumn {
  #values = new Float64Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const grown = new Float64Array(this.#values.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  /** The values so far; a view, not a copy. */
  values(): Float64Array {
    return this.#values.subarray(0, this.#length);
  }
}
