import { assertNever, randomStream } from '../base/index.ts';
import { isOfStreams } from './fault.ts';
import { holds, type FaultMatch, type FaultRule } from './fault-script.ts';

/** What rules look at in a request. */
export interface FaultyRequest {
  /** Its place among the requests the server understood, from 1. */
  readonly number: number;
  readonly sinceStartNs: number;
  readonly api: string;
  readonly streamed: boolean;
}

/**
 * Deals out faults. The same seed and the same requests in the same order give the same faults, as
 * far as rules do not look at the time.
 */
export class FaultDraw {
  readonly #rules: readonly FaultRule[];
  readonly #seed: number;
  /** Requests that each rule with `every` has counted so far. */
  readonly #counted: number[];

  constructor(rules: readonly FaultRule[], seed: number) {
    this.#rules = rules;
    this.#seed = seed;
    this.#counted = rules.map(() => 0);
  }

  /** The rule whose fault a request meets, null for none. Ask once per request, in order. */
  draw(request: FaultyRequest): FaultRule | null {
    let leftShare: number | null = null;
    for (const [at, rule] of this.#rules.entries()) {
      if (!fits(rule, request)) continue;
      const { pick } = rule;
      switch (pick.kind) {
        case 'all':
          return rule;
        case 'share':
          leftShare ??= randomStream(this.#seed, `fault/${request.number}`)();
          if (leftShare < pick.share) return rule;
          leftShare -= pick.share;
          break;
        case 'every':
          if (this.#countsNth(at, pick.n)) return rule;
          break;
        default:
          assertNever(pick);
      }
    }
    return null;
  }

  #countsNth(rule: number, n: number): boolean {
    const counted = (this.#counted[rule] ?? 0) + 1;
    this.#counted[rule] = counted;
    return counted % n === 0;
  }
}

function fits({ match, fault }: FaultRule, request: FaultyRequest): boolean {
  return matches(match, request) && (request.streamed || !isOfStreams(fault));
}

function matches(
  match: FaultMatch,
  { number, sinceStartNs, api, streamed }: FaultyRequest,
): boolean {
  return (
    holds(match.window, sinceStartNs) &&
    number >= match.firstRequest &&
    number <= (match.lastRequest ?? Number.POSITIVE_INFINITY) &&
    (match.api === null || match.api === api) &&
    (match.streamed === null || match.streamed === streamed)
  );
}
