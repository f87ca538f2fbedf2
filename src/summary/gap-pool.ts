/** Gaps of many answers, pooled, and kept apart by the time their requests were due. */
import { mergedRanks, NO_NUMBERS, NumberTally, type RankedNumbers } from './number-tally.ts';

/** Pooled values, and the same by equal slots of time, ascending; empty slots are left out. */
export interface TimedRanks {
  readonly all: RankedNumbers;
  readonly slots: readonly RankedNumbers[];
}

/** At least half of it are left when slots are joined: as many as a window has batches. */
const SLOTS_MOST = 64;
/** Short enough that a window of five seconds fills half of them. */
const FIRST_SLOT_NS = 2 ** 27;

interface Slot {
  readonly tokens: NumberTally;
  readonly others: NumberTally;
}

/**
 * Takes gaps in any order, before anybody knows how long the point will be: slots double as it
 * grows. Memory as that of the numbers themselves, and some kilobytes a slot.
 */
export class GapPool {
  #slotNs = FIRST_SLOT_NS;
  #slots = new Map<number, Slot>();

  /** The gaps of one answer; `areTokens` where each is the gap of one token (ITL). */
  push(dueNs: number, gapsNs: readonly number[], areTokens: boolean): void {
    if (gapsNs.length === 0) return;
    const slot = this.#slotAt(dueNs);
    const tally = areTokens ? slot.tokens : slot.others;
    for (const gapNs of gapsNs) tally.push(gapNs);
  }

  /** Token gaps, and all gaps. */
  ranked(): { readonly tokens: TimedRanks; readonly all: TimedRanks } {
    const slots = [...this.#slots]
      .toSorted(([a], [b]) => a - b)
      .map(([, { tokens, others }]) => ({ tokens: tokens.ranked(), others: others.ranked() }));
    return {
      tokens: timedRanks(slots.map(({ tokens }) => tokens)),
      all: timedRanks(slots.map(({ tokens, others }) => mergedRanks(tokens, others))),
    };
  }

  #slotAt(dueNs: number): Slot {
    for (;;) {
      const key = Math.floor(dueNs / this.#slotNs);
      const found = this.#slots.get(key);
      if (found !== undefined) return found;
      if (this.#slots.size < SLOTS_MOST) {
        const slot = { tokens: new NumberTally(), others: new NumberTally() };
        this.#slots.set(key, slot);
        return slot;
      }
      this.#joinPairs();
    }
  }

  #joinPairs(): void {
    const joined = new Map<number, Slot>();
    for (const [key, slot] of this.#slots) {
      const half = joined.get(Math.floor(key / 2));
      if (half === undefined) {
        joined.set(Math.floor(key / 2), slot);
      } else {
        half.tokens.absorb(slot.tokens);
        half.others.absorb(slot.others);
      }
    }
    this.#slots = joined;
    this.#slotNs *= 2;
  }
}

function timedRanks(slots: readonly RankedNumbers[]): TimedRanks {
  const filled = slots.filter(({ length }) => length > 0);
  return { all: mergedInPairs(filled), slots: filled };
}

/** As a tournament, so that each number is moved a few times and not once a slot. */
function mergedInPairs(parts: readonly RankedNumbers[]): RankedNumbers {
  if (parts.length < 2) return parts[0] ?? NO_NUMBERS;
  const middle = Math.ceil(parts.length / 2);
  return mergedRanks(mergedInPairs(parts.slice(0, middle)), mergedInPairs(parts.slice(middle)));
}

export const NO_GAPS: TimedRanks = timedRanks([]);
