import { NS_PER_SECOND } from '../base/index.ts';

/** Requests that are let through in a period. */
export interface QuotaLimit {
  /** > 0. */
  readonly requests: number;
  readonly per: 'second' | 'minute';
}

const SECONDS = { second: 1, minute: 60 } as const;

/** A published limit on requests, as a bucket that holds one period's worth. */
export class RequestQuota {
  readonly #limit: QuotaLimit;
  readonly #capacity: number;
  readonly #perSecond: number;
  #left: number;
  #seenNs = 0;

  constructor(limit: QuotaLimit) {
    this.#limit = limit;
    this.#perSecond = limit.requests / SECONDS[limit.per];
    this.#capacity = Math.max(1, limit.requests);
    this.#left = this.#capacity;
  }

  /** Takes one request. Null when it is within the limit, else whole seconds until one would be. */
  take(nowNs: number): number | null {
    const gained = ((nowNs - this.#seenNs) / NS_PER_SECOND) * this.#perSecond;
    this.#left = Math.min(this.#capacity, this.#left + gained);
    this.#seenNs = nowNs;
    if (this.#left < 1) return Math.ceil((1 - this.#left) / this.#perSecond);
    this.#left -= 1;
    return null;
  }

  /** As OpenAI tells it with every response; nothing for limits a second, which nobody tells. */
  headers(): Readonly<Record<string, string>> {
    if (this.#limit.per === 'second') return {};
    const resetSeconds = (this.#capacity - this.#left) / this.#perSecond;
    return {
      'x-ratelimit-limit-requests': String(Math.floor(this.#capacity)),
      'x-ratelimit-remaining-requests': String(Math.floor(this.#left)),
      'x-ratelimit-reset-requests': `${Number(resetSeconds.toFixed(3))}s`,
    };
  }

  /** `at most 500 requests per minute`. */
  text(): string {
    return `at most ${this.#limit.requests} requests per ${this.#limit.per}`;
  }
}
