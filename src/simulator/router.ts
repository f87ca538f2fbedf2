/** Which of several replicas a request goes to. */
import { assertNever } from '../base/index.ts';

/**
 * - `roundRobin`: each in turn.
 * - `leastOutstanding`: the one with the fewest requests that have not ended; of these the one that
 *   was given the fewest so far.
 * - `prefixAffine`: where the first prompt with the same beginning went, however busy that is, so
 *   that its prefix cache is used; new beginnings go by `leastOutstanding`.
 */
export type RoutingPolicy = 'roundRobin' | 'leastOutstanding' | 'prefixAffine';

export class Router {
  readonly #policy: RoutingPolicy;
  /** Requests each replica was given. */
  readonly #given: number[];
  readonly #homes = new Map<string, number>();
  #next = 0;

  constructor(policy: RoutingPolicy, replicas: number) {
    this.#policy = policy;
    this.#given = Array.from({ length: replicas }, () => 0);
  }

  /**
   * The replica for the next request. `outstanding` tells how many each has not ended;
   * `beginning` names what the prompt begins with, `null` = like no other's.
   */
  choose(outstanding: readonly number[], beginning: string | null): number {
    const replica = this.#pick(outstanding, beginning);
    this.#given[replica] = this.#givenTo(replica) + 1;
    return replica;
  }

  #pick(outstanding: readonly number[], beginning: string | null): number {
    switch (this.#policy) {
      case 'roundRobin': {
        const replica = this.#next;
        this.#next = (replica + 1) % this.#given.length;
        return replica;
      }
      case 'leastOutstanding':
        return this.#leastOutstanding(outstanding);
      case 'prefixAffine': {
        if (beginning === null) return this.#leastOutstanding(outstanding);
        const home = this.#homes.get(beginning) ?? this.#leastOutstanding(outstanding);
        this.#homes.set(beginning, home);
        return home;
      }
      default:
        return assertNever(this.#policy);
    }
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
