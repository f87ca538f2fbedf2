/** One connection to the target: an undici client over a socket this room opened and observes. */
import type { Socket } from 'node:net';
import { Client, type Dispatcher, type buildConnector } from 'undici';
import { msFromNs, type Clock } from '../base/index.ts';
import { openSocket, type OpenedSocket, type SocketOptions } from './open-socket.ts';

export interface ConnectionOptions extends SocketOptions {
  /** Close a connection unused for this long, before the server does. */
  readonly idleConnectionNs: number;
}

/**
 * Stamps of a socket's reads. The listeners stand before the HTTP parser's, so a stamp is taken
 * before any parsing, and all that one read brought shares it.
 */
class ReadClock {
  readonly #clock: Clock;
  /** The last read, or the end of the connection. */
  lastNs = 0;
  /** First read of the current response. */
  firstNs: number | null = null;
  /** Number of the last read within the current response, from 0. */
  readId = -1;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  observe(socket: Socket): void {
    socket.on('readable', () => {
      this.lastNs = this.#clock.nowNs();
      if (socket.readableLength === 0) return;
      this.firstNs ??= this.lastNs;
      this.readId += 1;
    });
    socket.on('end', () => {
      this.lastNs = this.#clock.nowNs();
    });
  }

  beginResponse(): void {
    this.firstNs = null;
    this.readId = -1;
  }
}

/**
 * Carries one request at a time. Timeouts are the caller's: undici's own are off, because they
 * kill silent streams and tick only every half second.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #client: Client;
  readonly #stop = new AbortController();
  readonly #onOpened: () => void;
  readonly reads: ReadClock;
  #prepared: OpenedSocket | null;
  #opened: OpenedSocket | null = null;

  /** `prepared` is a socket opened ahead; `null` opens one with the first request. */
  constructor(options: ConnectionOptions, prepared: OpenedSocket | null, onOpened: () => void) {
    this.#options = options;
    this.#prepared = prepared;
    this.#onOpened = onOpened;
    this.reads = new ReadClock(options.clock);
    this.#client = new Client(options.target.origin, {
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: Math.max(1, msFromNs(options.idleConnectionNs)),
      pipelining: 1,
      connect: (_options, callback) => {
        void this.#open(callback);
      },
    });
  }

  /** Facts of the socket that carries the current request; `null` before there is one. */
  get opened(): OpenedSocket | null {
    return this.#opened;
  }

  /** Whether another request may be sent over it. */
  get usable(): boolean {
    return !this.#client.destroyed && this.#opened?.socket.destroyed === false;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.reads.beginResponse();
    this.#client.dispatch(options, handler);
  }

  /** Ends it at once, whatever it is doing. */
  destroy(): void {
    this.#stop.abort();
    this.#prepared?.socket.destroy();
    void this.#client.destroy();
  }

  /** undici asks again if the socket was lost before a waiting request was written. */
  async #open(callback: buildConnector.Callback): Promise<void> {
    const prepared = this.#prepared;
    this.#prepared = null;
    this.#opened = null;
    try {
      this.#opened = prepared?.socket.destroyed === false ? prepared : await this.#openNow();
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    // undici is not ready for an answer inside its own question.
    await Promise.resolve();
    this.reads.observe(this.#opened.socket);
    callback(null, this.#opened.socket);
  }

  async #openNow(): Promise<OpenedSocket> {
    const opened = await openSocket(this.#options, this.#stop.signal);
    this.#onOpened();
    return opened;
  }
}
