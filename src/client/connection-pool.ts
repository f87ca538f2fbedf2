import type { Connection, ConnectionSource } from './transport.ts';

/** Handshakes at once while warming: below the accept queue of common servers. */
const WARM_BATCH = 64;

/** A connection that can be opened before it is used. */
export interface PooledConnection extends Connection {
  /** Errors: when none was had. */
  open(): Promise<void>;
}

/**
 * The connections to one target. Every request has a connection to itself; there is no ceiling
 * here, because a ceiling would queue requests unseen: the load generator has one, and counts.
 */
export class ConnectionPool implements ConnectionSource {
  readonly #make: (onOpened: () => void) => PooledConnection;
  /** The most recently used last. */
  readonly #idle: PooledConnection[] = [];
  readonly #busy = new Set<PooledConnection>();
  #openedCount = 0;
  #closed = false;

  /** `make` makes one that is not open yet, and calls `onOpened` each time it is. */
  constructor(make: (onOpened: () => void) => PooledConnection) {
    this.#make = make;
  }

  get openedCount(): number {
    return this.#openedCount;
  }

  /** An idle connection, the most recently used first; else a new one. */
  acquire(): PooledConnection {
    let connection = this.#idle.pop();
    while (connection !== undefined && !connection.usable) {
      connection.destroy();
      connection = this.#idle.pop();
    }
    connection ??= this.#new();
    this.#busy.add(connection);
    return connection;
  }

  release(connection: PooledConnection, reusable: boolean): void {
    this.#busy.delete(connection);
    if (reusable && connection.usable && !this.#closed) this.#idle.push(connection);
    else connection.destroy();
  }

  async warm(count: number): Promise<number> {
    const before = this.#openedCount;
    for (let from = 0; from < count; from += WARM_BATCH) {
      await Promise.allSettled(
        Array.from({ length: Math.min(WARM_BATCH, count - from) }, () => this.#openAhead()),
      );
    }
    return this.#openedCount - before;
  }

  close(): void {
    this.#closed = true;
    for (const connection of [...this.#idle, ...this.#busy]) connection.destroy();
    this.#idle.length = 0;
    this.#busy.clear();
  }

  #new(): PooledConnection {
    return this.#make(() => {
      this.#openedCount += 1;
    });
  }

  async #openAhead(): Promise<void> {
    const connection = this.#new();
    this.#busy.add(connection);
    try {
      await connection.open();
      this.release(connection, true);
    } catch {
      this.release(connection, false);
    }
  }
}
