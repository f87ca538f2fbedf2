/** The addresses of a name, found once and used in turn. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Finds all addresses of a name, the system's way. */
export type ResolveName = (host: string) => Promise<readonly string[]>;

/** Errors: the system's, with `syscall` `getaddrinfo`. */
export async function resolveName(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

/**
 * A name is looked up once and kept, so that no lookup is part of a request's latency; connections
 * go to its addresses in turn, so that all servers behind it get their share.
 */
export class Addresses {
  readonly #host: string;
  readonly #resolve: ResolveName;
  readonly #refusing = new Set<string>();
  #found: Promise<readonly string[]> | null = null;
  #turn = 0;
  #count = 1;

  constructor(host: string, resolve: ResolveName = resolveName) {
    this.#host = host;
    this.#resolve = resolve;
  }

  /** Addresses that take connections, as far as is known. ≥ 1. */
  get count(): number {
    return Math.max(1, this.#count - this.#refusing.size);
  }

  /**
   * All addresses in the order to try them: the next in turn first, those that refused last.
   *
   * Errors: of the lookup; the next call tries again.
   */
  async inTurn(): Promise<readonly string[]> {
    if (isIP(this.#host) !== 0) return [this.#host];
    this.#found ??= this.#resolve(this.#host);
    let found: readonly string[];
    try {
      found = await this.#found;
    } catch (error) {
      this.#found = null;
      throw error;
    }
    this.#count = found.length;
    const taking = found.filter((address) => !this.#refusing.has(address));
    const turn = taking.length === 0 ? 0 : this.#turn % taking.length;
    this.#turn += 1;
    const refusing = found.filter((address) => this.#refusing.has(address));
    return [...taking.slice(turn), ...taking.slice(0, turn), ...refusing];
  }

  /** No connection was had there: it is tried last from now on, until it takes one. */
  refused(address: string): void {
    this.#refusing.add(address);
  }

  took(address: string): void {
    this.#refusing.delete(address);
  }
}
