import { OpeningTally, type ConnectionOpenings, type LossReason } from './opening-tally.ts';
import type { Connection, ConnectionSource } from './transport.ts';

/** Handshakes at once while warming: below the accept queue of common servers. */
const WARM_BATCH = 64;

/** A connection that can be opened before it is used. */
export interface PooledConnection extends Connection {
  /** Whether the other side ended it, or said that it would. */
  readonly endedByServer: boolean;
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
  readonly #tally = new OpeningTally();
  #closed = false;

  /** `make` makes one that is not open yet, and calls `onOpened` each time it is. */
  constructor(make: (onOpened: () => void) => PooledConnection) {
    this.#make = make;
  }

  get openings(): ConnectionOpenings {
    return this.#tally.counts;
  }

  /** An idle connection, the most recently used first; else a new one. */
  acquire(): PooledConnection {
    let connection = this.#idle.pop();
    while (connection !== undefined && !connection.usable) {
      this.#drop(connection, 'idleEnded');
      connection = this.#idle.pop();
    }
    connection ??= this.#make(this.#tally.opener(false));
    this.#busy.add(connection);
    return connection;
  }

  release(connection: PooledConnection, reusable: boolean): void {
    this.#busy.delete(connection);
    if (reusable && connection.usable && !this.#closed) this.#idle.push(connection);
    else this.#drop(connection, reusable ? 'idleEnded' : 'givenUp');
  }

  async warm(count: number): Promise<number> {
    this.#tally.beginAhead();
    const before = this.openings.ahead;
    for (let from = 0; from < count; from += WARM_BATCH) {
      await Promise.allSettled(
        Array.from({ length: Math.min(WARM_BATCH, count - from) }, () => this.#openAhead()),
      );
    }
    return this.openings.ahead - before;
  }

  close(): void {
    this.#closed = true;
    for (const connection of [...this.#idle, ...this.#busy]) connection.destroy();
    this.#idle.length = 0;
    this.#busy.clear();
  }

  #drop(connection: PooledConnection, unlessByServer: LossReason): void {
    this.#tally.lost(connection.endedByServer ? 'serverClosed' : unlessByServer);
    connection.destroy();
  }

  async #openAhead(): Promise<void> {
    const connection = this.#make(this.#tally.opener(true));
    this.#busy.add(connection);
    try {
      await connection.open();
      this.release(connection, true);
    } catch {
      this.release(connection, false);
    }
  }
}
