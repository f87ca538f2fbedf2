/** Looks up how late the client may have been at an instant: in which of its stalls it fell. */
import { NS_PER_MS } from '../base/index.ts';
import type { ClientStall, GeneratorEvidence } from '../record/index.ts';

/** What piled up in a stall is stamped while it is worked off, after the stall itself. */
const CATCH_UP_NS = 5 * NS_PER_MS;

/** The stalls of one point. Without evidence there is none: nothing is assumed of the client. */
export class StallIndex {
  readonly #stalls: readonly ClientStall[];
  readonly #unlistedNs: number;

  constructor(generator: Pick<GeneratorEvidence, 'stalls' | 'unlistedStallMaxNs'> | null) {
    this.#stalls = generator?.stalls.toSorted((a, b) => a.fromNs - b.fromNs) ?? [];
    this.#unlistedNs = generator?.unlistedStallMaxNs ?? 0;
  }

  /** Whether any stamp from one instant to another may be late. */
  touches(fromNs: number, toNs: number): boolean {
    if (this.#unlistedNs > 0) return true;
    const last = this.#stalls[this.#countStartedBy(toNs) - 1];
    return last !== undefined && last.toNs + CATCH_UP_NS >= fromNs;
  }

  /**
   * How much earlier than its stamp an event may have arrived, in ns: since the start of the stall
   * it was stamped in or right after. 0 outside all stalls.
   */
  latenessAt(atNs: number): number {
    let lateNs = this.#unlistedNs;
    for (let each = this.#countStartedBy(atNs) - 1; each >= 0; each -= 1) {
      const stall = this.#stalls[each] as ClientStall;
      if (stall.toNs + CATCH_UP_NS < atNs) break;
      lateNs = Math.max(lateNs, atNs - stall.fromNs);
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
