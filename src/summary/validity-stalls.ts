/** Looks up how late the client may have been at an instant: in which of its stalls it fell. */
import { NS_PER_MS } from '../base/index.ts';
import type { ClientStall, GeneratorEvidence } from '../record/index.ts';

/** What piled up in a stall is stamped while it is worked off, after the stall itself. */
const CATCH_UP_NS = 5 * NS_PER_MS;

/** The stalls of one point. Without evidence there is none: nothing is assumed of the client. */
export class StallIndex {
  readonly #stalls: readonly ClientStall[];
  /** The latest end among the stalls up to each: a long one may outlast those that began later. */
  readonly #reachNs: readonly number[];
  readonly #unlistedNs: number;

  constructor(generator: Pick<GeneratorEvidence, 'stalls' | 'unlistedStallMaxNs'> | null) {
    this.#stalls = generator?.stalls.toSorted((a, b) => a.fromNs - b.fromNs) ?? [];
    let reachNs = Number.NEGATIVE_INFINITY;
    this.#reachNs = this.#stalls.map(({ toNs }) => (reachNs = Math.max(reachNs, toNs)));
    this.#unlistedNs = generator?.unlistedStallMaxNs ?? 0;
  }

  /** Whether any stamp from one instant to another may be late. */
  touches(fromNs: number, toNs: number): boolean {
    if (this.#unlistedNs > 0) return true;
    const reachNs = this.#reachNs[this.#countStartedBy(toNs) - 1];
    return reachNs !== undefined && reachNs + CATCH_UP_NS >= fromNs;
  }

  /**
   * How much earlier than its stamp an event may have arrived, in ns: since the start of the stall
   * it was stamped in or right after. 0 outside all stalls.
   */
  latenessAt(atNs: number): number {
    let lateNs = this.#unlistedNs;
    for (let each = this.#countStartedBy(atNs) - 1; each >= 0; each -= 1) {
      if ((this.#reachNs[each] as number) + CATCH_UP_NS < atNs) break;
      const { fromNs, toNs } = this.#stalls[each] as ClientStall;
      if (toNs + CATCH_UP_NS >= atNs) lateNs = Math.max(lateNs, atNs - fromNs);
    }
    return lateNs;
  }

  /** How many stalls began at or before an instant. */
  #countStartedBy(atNs: number): number {
    let low = 0;
    let high = this.#stalls.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#stalls[middle] as ClientStall).fromNs <= atNs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
