/** Numbers of which many may be alike, kept for what ranks and sums need of them. */
import { assert } from '../base/index.ts';
import { nearestRankAt, quantile } from '../stats/index.ts';

/** Numbers in ascending order. */
export interface RankedNumbers {
  readonly length: number;
  /** Whole numbers add up exactly below 2⁵³: nanoseconds of a hundred days. */
  readonly sum: number;
  /** `null` without numbers. */
  readonly min: number | null;
  readonly max: number | null;
  /** The nearest-rank quantile. Errors: none of no numbers, and `q` in (0, 1]. */
  quantile(q: number): number;
  /** How many are at most `limit`. */
  countUpTo(limit: number): number;
}

/** Fewest numbers that are put in order together. */
const LEAST_TOGETHER = 8_192;
/** Numbers that wait to be put in order, as a part of the different ones in order. */
const WAITING_PART = 1 / 4;

/**
 * Takes numbers one by one. Memory follows the different ones among them: up to 14 bytes each, and
 * nothing for one that was seen before. The gaps of simulated answers are lengths of engine steps,
 * which repeat; those of measured ones hardly do.
 */
export class NumberTally {
  #waiting = new Float64Array(LEAST_TOGETHER);
  #waitingCount = 0;
  #seen: Counted = [new Float64Array(0), new Uint32Array(0)];

  push(value: number): void {
    if (this.#waitingCount === this.#waiting.length) this.#putInOrder();
    this.#waiting[this.#waitingCount] = value;
    this.#waitingCount += 1;
  }

  /** Takes all numbers of another. */
  absorb(other: NumberTally): void {
    other.#putInOrder();
    this.#seen = merged(this.#seen, other.#seen);
  }

  /** Those so far. Errors: NaN has no rank and breaks an invariant. */
  ranked(): RankedNumbers {
    this.#putInOrder();
    return new Ranks(...this.#seen);
  }

  #putInOrder(): void {
    const recent = this.#waiting.subarray(0, this.#waitingCount).sort();
    // A typed array sorts NaN last, so one look is enough.
    assert(!Number.isNaN(recent.at(-1)), 'a number to rank is NaN');
    this.#seen = merged(this.#seen, counted(recent));
    const room = Math.max(LEAST_TOGETHER, Math.ceil(this.#seen[0].length * WAITING_PART));
    if (room > this.#waiting.length) this.#waiting = new Float64Array(room);
    this.#waitingCount = 0;
  }
}

/** The numbers of both. */
export function mergedRanks(a: RankedNumbers, b: RankedNumbers): RankedNumbers {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  assert(a instanceof Ranks && b instanceof Ranks, 'ranks come from a tally');
  return new Ranks(...merged([a.values, a.counts], [b.values, b.counts]));
}

/** Ascending numbers as they are; added up in that order, so that no other shows in the last digit. */
export function rankedOf(sorted: Float64Array): RankedNumbers {
  return {
    length: sorted.length,
    sum: sorted.reduce((partial, value) => partial + value, 0),
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
    quantile: (q) => quantile(sorted, q, 'nearestRank'),
    countUpTo: (limit) => sorted.filter((value) => value <= limit).length,
  };
}

/** Different values, ascending, and how often each was seen. */
type Counted = readonly [values: Float64Array, counts: Uint32Array];

/** Ascending values, each once: the array itself is changed, and the result is a view of it. */
function counted(sorted: Float64Array): Counted {
  const counts = new Uint32Array(sorted.length);
  let length = 0;
  for (const value of sorted) {
    if (length === 0 || sorted[length - 1] !== value) {
      sorted[length] = value;
      length += 1;
    }
    counts[length - 1] = (counts[length - 1] as number) + 1;
  }
  return [sorted.subarray(0, length), counts.subarray(0, length)];
}

function merged([aValues, aCounts]: Counted, [bValues, bCounts]: Counted): Counted {
  const most = aValues.length + bValues.length;
  const values = new Float64Array(most);
  const counts = new Uint32Array(most);
  let length = 0;
  let [atA, atB] = [0, 0];
  while (atA < aValues.length || atB < bValues.length) {
    const fromA = atA < aValues.length ? (aValues[atA] as number) : Number.POSITIVE_INFINITY;
    const fromB = atB < bValues.length ? (bValues[atB] as number) : Number.POSITIVE_INFINITY;
    let count = 0;
    if (fromA <= fromB) {
      count = aCounts[atA] as number;
      atA += 1;
    }
    if (fromB <= fromA) {
      count += bCounts[atB] as number;
      atB += 1;
    }
    values[length] = Math.min(fromA, fromB);
    counts[length] = count;
    length += 1;
  }
  return [values.slice(0, length), counts.slice(0, length)];
}

class Ranks implements RankedNumbers {
  readonly values: Float64Array;
  readonly counts: Uint32Array;
  readonly length: number;
  readonly sum: number;

  constructor(values: Float64Array, counts: Uint32Array) {
    this.values = values;
    this.counts = counts;
    let length = 0;
    let sum = 0;
    for (const [at, value] of values.entries()) {
      const count = counts[at] as number;
      length += count;
      sum += value * count;
    }
    this.length = length;
    this.sum = sum;
  }

  get min(): number | null {
    return this.values[0] ?? null;
  }

  get max(): number | null {
    return this.values.at(-1) ?? null;
  }

  quantile(q: number): number {
    let before = nearestRankAt(this.length, q);
    let at = 0;
    for (; before >= (this.counts[at] as number); at += 1) before -= this.counts[at] as number;
    return this.values[at] as number;
  }

  countUpTo(limit: number): number {
    let count = 0;
    for (let at = 0; at < this.values.length && (this.values[at] as number) <= limit; at += 1) {
      count += this.counts[at] as number;
    }
    return count;
  }
}

export const NO_NUMBERS: RankedNumbers = new NumberTally().ranked();
