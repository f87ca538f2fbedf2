/** One connection of the compat transport: an undici client over a socket this room opened. */
import type { Socket } from 'node:net';
import { Client, type Dispatcher, type buildConnector } from 'undici';
import { msFromNs, type Clock } from '../base/index.ts';
import { openSocket, type OpenedSocket } from './open-socket.ts';
import type { ResponseHeaders } from './response-head.ts';
import type { Connection, ConnectionOptions, HttpRequest, ResponseHandler } from './transport.ts';
import { transportFaultOf } from './transport-fault.ts';

/**
 * Stamps of a socket's reads. The listeners stand before the HTTP parser's, so a stamp is taken
 * before any parsing, and all that one read brought shares it.
 */
export class ReadClock {
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
      if (socket.readableLength === 0) this.lastNs = this.#clock.nowNs();
      else this.saw();
    });
    socket.on('end', () => {
      this.lastNs = this.#clock.nowNs();
    });
  }

  /** Something of the response came. */
  saw(): void {
    this.lastNs = this.#clock.nowNs();
    this.firstNs ??= this.lastNs;
    this.readId += 1;
  }

  beginResponse(): void {
    this.firstNs = null;
    this.readId = -1;
  }
}

/** What undici tells of a response, told in this room's words. */
export class UndiciHandler implements Dispatcher.DispatchHandler {
  readonly #clock: Clock;
  readonly #reads: ReadClock;
  readonly #handler: ResponseHandler;
  #headSeen = false;

  constructor(clock: Clock, reads: ReadClock, handler: ResponseHandler) {
    this.#clock = clock;
    this.#reads = reads;
    this.#handler = handler;
  }

  onRequestStart(_controller: Dispatcher.DispatchController): void {
    // undici writes head and body in this turn, after this call.
    queueMicrotask(() => this.#handler.onWritten(this.#clock.nowNs()));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    if (status < 200) return;
    this.#headSeen = true;
    this.#handler.onHead(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    this.#handler.onBody(bytes, 0, bytes.length, this.#reads.lastNs, this.#reads.readId);
  }

  onResponseEnd(): void {
    this.#handler.onEnd(this.#reads.lastNs);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#handler.onFault(transportFaultOf(error, this.#headSeen));
  }
}

/** What undici says of a socket that it closed because it was idle. */
const IDLE_TIMEOUT = 'socket idle timeout';

/**
 * Carries one request at a time. Timeouts are the caller's: undici's own are off, because they
 * kill silent streams and tick only every half second.
 */
export class UndiciConnection implements Connection {
  readonly #options: ConnectionOptions;
  readonly #onOpened: () => void;
  readonly #client: Client;
  readonly #stop = new AbortController();
  readonly #reads: ReadClock;
  /** Opened ahead and not used yet, with what watches over it. */
  #parked: { readonly opened: OpenedSocket; readonly drop: () => void } | null = null;
  #opened: OpenedSocket | null = null;
  /** Ended before it was used. */
  #droppedUnused = false;

  constructor(options: ConnectionOptions, onOpened: () => void) {
    this.#options = options;
    this.#onOpened = onOpened;
    this.#reads = new ReadClock(options.clock);
    this.#client = new Client(options.target.origin, {
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: Math.max(1, msFromNs(options.idleConnectionNs)),
      pipelining: 1,
      connect: (_options, callback) => {
        void this.#connect(callback);
      },
    });
  }

  get opened(): OpenedSocket | null {
    return this.#opened;
  }

  get firstReadNs(): number | null {
    return this.#reads.firstNs;
  }

  get usable(): boolean {
    if (this.#client.destroyed) return false;
    const { socket } = this.#parked?.opened ?? this.#opened ?? { socket: null };
    return socket?.destroyed === false;
  }

  get endedByServer(): boolean {
    const socket = this.#opened?.socket;
    const isEnded = socket?.destroyed === true && socket.errored?.message !== IDLE_TIMEOUT;
    return this.#droppedUnused || isEnded;
  }

  /** Errors: ConnectError. */
  async open(): Promise<void> {
    const opened = await this.#openNow();
    const { socket } = opened;
    const drop = (): void => {
      this.#parked = null;
      this.#droppedUnused = true;
      socket.destroy();
    };
    // Whatever a silent connection has to say before its first request, it is goodbye.
    socket.on('readable', drop).on('error', drop).on('close', drop).unref();
    this.#parked = { opened, drop };
  }

  dispatch(request: HttpRequest, handler: ResponseHandler): void {
    this.#reads.beginResponse();
    this.#client.dispatch(request, new UndiciHandler(this.#options.clock, this.#reads, handler));
  }

  destroy(): void {
    this.#stop.abort();
    this.#parked?.opened.socket.destroy();
    void this.#client.destroy();
  }

  /** undici asks again if the socket was lost before a waiting request was written. */
  async #connect(callback: buildConnector.Callback): Promise<void> {
    this.#opened = null;
    try {
      this.#opened = this.#takeParked() ?? (await this.#openNow());
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    // undici is not ready for an answer inside its own question.
    await Promise.resolve();
    this.#reads.observe(this.#opened.socket);
    callback(null, this.#opened.socket);
  }

  #takeParked(): OpenedSocket | null {
    if (this.#parked === null) return null;
    const { opened, drop } = this.#parked;
    this.#parked = null;
    const { socket } = opened;
    if (socket.destroyed) return null;
    socket.off('readable', drop).off('error', drop).off('close', drop).ref();
    return opened;
  }

  async #openNow(): Promise<OpenedSocket> {
    const opened = await openSocket(this.#options, this.#stop.signal);
    this.#onOpened();
    return opened;
  }
}
