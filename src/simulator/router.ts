/** Which of several replicas a request goes to. */
import { assert, assertNever } from '../base/index.ts';

/**
 * - `roundRobin`: each in turn.
 * - `leastOutstanding`: the one with the fewest requests that have not ended; of these the one that
 *   was given the fewest so far.
 * - `prefixAffine`: the one that was given the longest beginning of the prompt before, as long as
 *   that is enough of the prompt and the load is not lopsided; else by `leastOutstanding`. After the
 *   policy `cache_aware` of SGLang's gateway, with its default thresholds; what replicas have
 *   evicted since is not known to the router.
 */
export type RoutingPolicy = 'roundRobin' | 'leastOutstanding' | 'prefixAffine';

/** More of the prompt than this must have been there before. */
const AFFINE_SHARE = 0.3;
/** The load is lopsided when most − least is above the first and most above the second × least. */
const LOPSIDED_DIFFERENCE = 64;
const LOPSIDED_RATIO = 1.5;

/** What a router knows of a prompt. */
export interface RoutedPrompt {
  /** Ids of its leading blocks, as far as others may have them too; chained. */
  readonly blockIds: readonly string[];
  /** All its blocks. ≥ 1. */
  readonly blocks: number;
}

/** Of each replica that takes requests, by its number, how many it has not ended. ≥ 1 entry. */
export type Outstanding = ReadonlyMap<number, number>;

export class Router {
  readonly #policy: RoutingPolicy;
  /** Requests each replica was given. */
  readonly #given = new Map<number, number>();
  /** Blocks each replica was given. */
  readonly #seen = new Map<number, Set<string>>();
  #last = -1;

  constructor(policy: RoutingPolicy) {
    this.#policy = policy;
  }

  /** The replica for the next request. Replicas may come and go between two calls. */
  choose(outstanding: Outstanding, prompt: RoutedPrompt): number {
    const replica = this.#pick(outstanding, prompt);
    this.#given.set(replica, this.#givenTo(replica) + 1);
    this.#last = replica;
    if (this.#policy === 'prefixAffine') {
      const seen = this.#seen.get(replica) ?? new Set();
      for (const id of prompt.blockIds) seen.add(id);
      this.#seen.set(replica, seen);
    }
    return replica;
  }

  /** A replica is gone, and its memory with it. */
  forget(replica: number): void {
    this.#given.delete(replica);
    this.#seen.delete(replica);
  }

  #pick(outstanding: Outstanding, prompt: RoutedPrompt): number {
    switch (this.#policy) {
      case 'roundRobin':
        return nextAfter(this.#last, [...outstanding.keys()]);
      case 'leastOutstanding':
        return this.#leastOutstanding(outstanding);
      case 'prefixAffine': {
        const home = isLopsided([...outstanding.values()])
          ? null
          : this.#homeOf(prompt, outstanding);
        return home ?? this.#leastOutstanding(outstanding);
      }
      default:
        return assertNever(this.#policy);
    }
  }

  /** The replica that was given most of the prompt; `null` when that is too little of it. */
  #homeOf({ blockIds, blocks }: RoutedPrompt, outstanding: Outstanding): number | null {
    let home: number | null = null;
    let most = AFFINE_SHARE * blocks;
    for (const replica of outstanding.keys()) {
      const unseen = blockIds.findIndex((id) => this.#seen.get(replica)?.has(id) !== true);
      const matched = unseen === -1 ? blockIds.length : unseen;
      if (matched > most) [home, most] = [replica, matched];
    }
    return home;
  }

  #leastOutstanding(outstanding: Outstanding): number {
    let best: { readonly replica: number; readonly count: number } | null = null;
    for (const [replica, count] of outstanding) {
      const ahead = best === null ? -1 : count - best.count;
      const isNewer = best !== null && this.#givenTo(replica) < this.#givenTo(best.replica);
      if (ahead < 0 || (ahead === 0 && isNewer)) best = { replica, count };
    }
    assert(best !== null, 'no replica takes requests');
    return best.replica;
  }

  #givenTo(replica: number): number {
    return this.#given.get(replica) ?? 0;
  }
}

/** The next number in a round: the smallest one above `last`, or of all. */
function nextAfter(last: number, replicas: readonly number[]): number {
  const later = replicas.filter((replica) => replica > last);
  return Math.min(...(later.length > 0 ? later : replicas));
}

function isLopsided(outstanding: readonly number[]): boolean {
  const [least, most] = [Math.min(...outstanding), Math.max(...outstanding)];
  return most - least > LOPSIDED_DIFFERENCE && most > LOPSIDED_RATIO * least;
}
