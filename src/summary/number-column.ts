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

  /** The values so far, ascending: the column itself is sorted, and this is a view of it. */
  sorted(): Float64Array {
    return this.#values.subarray(0, this.#length).sort();
  }
}

/** The values of two ascending columns, ascending. An empty one costs nothing. */
export function mergedColumns(a: Float64Array, b: Float64Array): Float64Array {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const merged = new Float64Array(a.length + b.length);
  merged.set(a);
  merged.set(b, a.length);
  return merged.sort();
}
