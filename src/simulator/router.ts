/** Which of several replicas a request goes to. */
import { assertNever } from '../base/index.ts';

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

export class Router {
  readonly #policy: RoutingPolicy;
  /** Requests each replica was given. */
  readonly #given: number[];
  /** Blocks each replica was given. */
  readonly #seen: readonly Set<string>[];
  #next = 0;

  constructor(policy: RoutingPolicy, replicas: number) {
    this.#policy = policy;
    this.#given = Array.from({ length: replicas }, () => 0);
    this.#seen = this.#given.map(() => new Set());
  }

  /** The replica for the next request. `outstanding` tells how many each has not ended. */
  choose(outstanding: readonly number[], prompt: RoutedPrompt): number {
    const replica = this.#pick(outstanding, prompt);
    this.#given[replica] = this.#givenTo(replica) + 1;
    if (this.#policy === 'prefixAffine') {
      for (const id of prompt.blockIds) this.#seen[replica]?.add(id);
    }
    return replica;
  }

  #pick(outstanding: readonly number[], prompt: RoutedPrompt): number {
    switch (this.#policy) {
      case 'roundRobin': {
        const replica = this.#next;
        this.#next = (replica + 1) % this.#given.length;
        return replica;
      }
      case 'leastOutstanding':
        return this.#leastOutstanding(outstanding);
      case 'prefixAffine': {
        const home = isLopsided(outstanding) ? null : this.#homeOf(prompt);
        return home ?? this.#leastOutstanding(outstanding);
      }
      default:
        return assertNever(this.#policy);
    }
  }

  /** The replica that was given most of the prompt; `null` when that is too little of it. */
  #homeOf({ blockIds, blocks }: RoutedPrompt): number | null {
    let home: number | null = null;
    let most = AFFINE_SHARE * blocks;
    for (const [replica, seen] of this.#seen.entries()) {
      const unseen = blockIds.findIndex((id) => !seen.has(id));
      const matched = unseen === -1 ? blockIds.length : unseen;
      if (matched > most) [home, most] = [replica, matched];
    }
    return home;
  }

  #leastOutstanding(outstanding: readonly number[]): number {
    let best = 0;
    for (let at = 1; at < this.#given.length; at += 1) {
      const ahead = (outstanding[at] ?? 0) - (outstanding[best] ?? 0);
      if (ahead < 0 || (ahead === 0 && this.#givenTo(at) < this.#givenTo(best))) best = at;
    }
    return best;
  }

  #givenTo(replica: number): number {
    return this.#given[replica] ?? 0;
  }
}

function isLopsided(outstanding: readonly number[]): boolean {
  const [least, most] = [Math.min(...outstanding), Math.max(...outstanding)];
  return most - least > LOPSIDED_DIFFERENCE && most > LOPSIDED_RATIO * least;
}
