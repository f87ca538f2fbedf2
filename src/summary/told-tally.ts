/** What servers said beside their answers over a load point: limits, and how their drafts fared. */
import type { LimitedUnit, RequestRecord, ToldLimit } from '../record/index.ts';
import type { DraftSummary, LimitSummary } from './summary.ts';

interface Limit {
  readonly of: LimitedUnit;
  readonly per: ToldLimit['per'];
  limit: number | null;
  leastRemaining: number | null;
  toldCount: number;
}

/** Takes the records of all tries in any order; keeps a few numbers. */
export class ToldTally {
  readonly #limits = new Map<string, Limit>();
  #proposed = 0;
  #accepted = 0;
  #draftCount = 0;

  add({ timeline, end }: RequestRecord): void {
    for (const told of timeline?.limits ?? []) this.#addLimit(told);
    const draft = end?.kind === 'completed' ? (timeline?.draft ?? null) : null;
    if (draft === null) return;
    this.#proposed += draft.proposedTokens;
    this.#accepted += draft.acceptedTokens;
    this.#draftCount += 1;
  }

  /** By unit and period; the smallest limit told, should it have changed. */
  limits(): LimitSummary[] {
    return [...this.#limits]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, limit]) => ({ ...limit }));
  }

  /** `null` when no completed answer told. */
  draft(): DraftSummary | null {
    if (this.#draftCount === 0) return null;
    return {
      proposedTokens: this.#proposed,
      acceptedTokens: this.#accepted,
      acceptedShare: this.#proposed === 0 ? null : this.#accepted / this.#proposed,
      toldCount: this.#draftCount,
    };
  }

  #addLimit({ of, per, limitCount: limit, remainingCount: remaining }: ToldLimit): void {
    const key = `${of}/${per}`;
    const known = this.#limits.get(key);
    if (known === undefined) {
      this.#limits.set(key, { of, per, limit, leastRemaining: remaining, toldCount: 1 });
      return;
    }
    known.limit = smaller(known.limit, limit);
    known.leastRemaining = smaller(known.leastRemaining, remaining);
    known.toldCount += 1;
  }
}

function smaller(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}
