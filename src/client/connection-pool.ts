import { setMaxListeners } from 'node:events';
import { Connection, type ConnectionOptions } from './connection.ts';
import { openSocket, type OpenedSocket } from './open-socket.ts';

/** Handshakes at once while warming: below the accept queue of common servers. */
const WARM_BATCH = 64;

/**
 * The connections to one target. Every request has a connection to itself; there is no ceiling
 * here, because a ceiling would queue requests unseen: the load generator has one, and counts.
 */
export class ConnectionPool {
  readonly #options: ConnectionOptions;
  readonly #idle: Connection[] = [];
  readonly #busy = new Set<Connection>();
  /** Opened ahead and never used, each with what watches over it. */
  readonly #parked = new Map<OpenedSocket, () => void>();
  readonly #stop = new AbortController();
  #openedCount = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    setMaxListeners(WARM_BATCH, this.#stop.signal);
  }

  /** Connections opened so far, warm ones included. */
  get openedCount(): number {
    return this.#openedCount;
  }

  /** An idle connection, the most recently used first; else a new one. */
  acquire(): Connection {
    let connection = this.#idle.pop();
    while (connection !== undefined && !connection.usable) {
      connection.destroy();
      connection = this.#idle.pop();
    }
    connection ??= new Connection(this.#options, this.#takeParked(), () => {
      this.#openedCount += 1;
    });
    this.#busy.add(connection);
    return connection;
  }

  /** Gives a connection back; `reusable` when its response was read to the end. */
  release(connection: Connection, reusable: boolean): void {
    this.#busy.delete(connection);
    if (reusable && connection.usable) this.#idle.push(connection);
    else connection.destroy();
  }

  /**
   * Opens connections ahead of the load, so that handshakes are not part of it. Returns how many
   * opened: a target that refuses shows in the requests themselves.
   */
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
    this.#stop.abort();
    for (const connection of [...this.#idle, ...this.#busy]) connection.destroy();
    for (const { socket } of this.#parked.keys()) socket.destroy();
    this.#idle.length = 0;
    this.#busy.clear();
    this.#parked.clear();
  }

  async #openAhead(): Promise<void> {
    const opened = await openSocket(this.#options, this.#stop.signal);
    this.#openedCount += 1;
    const { socket } = opened;
    const drop = (): void => {
      this.#parked.delete(opened);
      socket.destroy();
    };
    // Whatever a silent connection has to say before its first request, it is goodbye.
    socket.on('readable', drop).on('error', drop).on('close', drop).unref();
    this.#parked.set(opened, drop);
  }

  #takeParked(): OpenedSocket | null {
    for (const [opened, drop] of this.#parked) {
      this.#parked.delete(opened);
      const { socket } = opened;
      if (socket.destroyed) continue;
      socket.off('readable', drop).off('error', drop).off('close', drop).ref();
      return opened;
    }
    return null;
  }
}
