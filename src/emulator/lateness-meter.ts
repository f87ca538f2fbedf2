/** How late something happened, over all its occurrences. All `null` when there were none. */
export interface Lateness {
  readonly count: number;
  readonly meanNs: number | null;
  /** Upper edge of the bucket that holds the quantile: at most 7 % too high. */
  readonly p50Ns: number | null;
  readonly p99Ns: number | null;
  readonly maxNs: number | null;
}

const BUCKETS_PER_OCTAVE = 10;

/** Gathers lateness in buckets of constant ratio, so that a long run needs no more memory. */
export class LatenessMeter {
  readonly #buckets: number[] = [];
  #count = 0;
  #sumNs = 0;
  #maxNs = 0;

  /** `lateNs` ≥ 0. */
  add(lateNs: number): void {
    const bucket = lateNs <= 1 ? 0 : Math.ceil(Math.log2(lateNs) * BUCKETS_PER_OCTAVE);
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.#count += 1;
    this.#sumNs += lateNs;
    this.#maxNs = Math.max(this.#maxNs, lateNs);
  }

  read(): Lateness {
    if (this.#count === 0) return { count: 0, meanNs: null, p50Ns: null, p99Ns: null, maxNs: null };
    return {
      count: this.#count,
      meanNs: this.#sumNs / this.#count,
      p50Ns: this.#quantileNs(0.5),
      p99Ns: this.#quantileNs(0.99),
      maxNs: this.#maxNs,
    };
  }

  #quantileNs(q: number): number {
    const rank = Math.ceil(q * this.#count);
    let seen = 0;
    for (let bucket = 0; bucket < this.#buckets.length; bucket += 1) {
      seen += this.#buckets[bucket] ?? 0;
      if (seen >= rank)
        return Math.min(this.#maxNs, Math.round(2 ** (bucket / BUCKETS_PER_OCTAVE)));
    }
    return this.#maxNs;
  }
}
