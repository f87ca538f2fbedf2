import { NS_PER_SECOND } from '../base/index.ts';

/** A published limit on requests per second, as a bucket that holds one second's worth. */
export class RequestQuota {
  readonly limitRps: number;
  readonly #capacity: number;
  #left: number;
  #seenNs = 0;

  constructor(limitRps: number) {
    this.limitRps = limitRps;
    this.#capacity = Math.max(1, limitRps);
    this.#left = this.#capacity;
  }

  /** Takes one request. Null when it is within the limit, else whole seconds until one would be. */
  take(nowNs: number): number | null {
    const gained = ((nowNs - this.#seenNs) / NS_PER_SECOND) * this.limitRps;
    this.#left = Math.min(this.#capacity, this.#left + gained);
    this.#seenNs = nowNs;
    if (this.#left < 1) return Math.ceil((1 - this.#left) / this.limitRps);
    this.#left -= 1;
    return null;
  }
}
