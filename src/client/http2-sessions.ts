/** HTTP/2 through undici: connections that carry many requests at once. */
import { Client, type buildConnector, type Dispatcher } from 'undici';
import { msFromNs } from '../base/index.ts';
import { OpeningTally, type ConnectionOpenings } from './opening-tally.ts';
import { openSocket, type OpenedSocket } from './open-socket.ts';
import type {
  Connection,
  ConnectionOptions,
  ConnectionSource,
  HttpRequest,
  ResponseHandler,
} from './transport.ts';
import { ReadClock, UndiciHandler } from './undici-connection.ts';

/** Requests at once on one connection, as servers commonly allow (RFC 9113 asks for at least 100). */
const STREAMS_PER_SESSION = 100;

/** Sessions with one target; each request goes to the one with the fewest, and a new one if all are full. */
export class Http2Sessions implements ConnectionSource {
  readonly #options: ConnectionOptions;
  readonly #sessions = new Set<Session>();
  readonly #tally = new OpeningTally();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get openings(): ConnectionOpenings {
    return this.#tally.counts;
  }

  acquire(): Connection {
    let best: Session | null = null;
    for (const session of this.#sessions) {
      if (session.closed) this.#drop(session);
      else if (best === null || session.streams < best.streams) best = session;
    }
    if (best === null || best.streams >= STREAMS_PER_SESSION) best = this.#new(false);
    return new Http2Stream(best, this.#options);
  }

  release(connection: Connection, reusable: boolean): void {
    if (!reusable) connection.destroy();
    (connection as Http2Stream).leave();
  }

  /** Sessions for `count` requests at once. */
  async warm(count: number): Promise<number> {
    this.#tally.beginAhead();
    const before = this.openings.ahead;
    const sessions = Array.from({ length: Math.ceil(count / STREAMS_PER_SESSION) }, () =>
      this.#new(true),
    );
    await Promise.allSettled(sessions.map((session) => session.open()));
    return this.openings.ahead - before;
  }

  close(): void {
    for (const session of this.#sessions) session.destroy();
    this.#sessions.clear();
  }

  #drop(session: Session): void {
    this.#sessions.delete(session);
    this.#tally.lost('serverClosed');
  }

  #new(isAhead: boolean): Session {
    const session = new Session(this.#options, this.#tally.opener(isAhead));
    this.#sessions.add(session);
    return session;
  }
}

/** One connection. */
class Session {
  readonly client: Client;
  /** Requests that use it. */
  streams = 0;
  opened: OpenedSocket | null = null;
  readonly #options: ConnectionOptions;
  readonly #onOpened: () => void;
  readonly #stop = new AbortController();
  #ahead: OpenedSocket | null = null;

  constructor(options: ConnectionOptions, onOpened: () => void) {
    this.#options = options;
    this.#onOpened = onOpened;
    this.client = new Client(options.target.origin, {
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: Math.max(1, msFromNs(options.idleConnectionNs)),
      allowH2: true,
      pipelining: STREAMS_PER_SESSION,
      maxConcurrentStreams: STREAMS_PER_SESSION,
      connect: (_options, callback) => {
        void this.#connect(callback);
      },
    });
  }

  get closed(): boolean {
    return this.client.destroyed;
  }

  /** Errors: ConnectError. */
  async open(): Promise<void> {
    this.#ahead = await this.#openNow();
    this.#ahead.socket.on('error', () => {});
  }

  destroy(): void {
    this.#stop.abort();
    this.#ahead?.socket.destroy();
    void this.client.destroy();
  }

  async #connect(callback: buildConnector.Callback): Promise<void> {
    const ahead = this.#ahead;
    this.#ahead = null;
    try {
      this.opened = ahead?.socket.destroyed === false ? ahead : await this.#openNow();
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    // undici is not ready for an answer inside its own question.
    await Promise.resolve();
    callback(null, this.opened.socket);
  }

  async #openNow(): Promise<OpenedSocket> {
    const opened = await openSocket(this.#options, this.#stop.signal);
    this.#onOpened();
    return opened;
  }
}

/**
 * One request on a session. The session reads the socket unseen, so a stamp is taken when a frame of
 * this request is handed out, and each frame counts as a read.
 */
class Http2Stream implements Connection {
  readonly #session: Session;
  readonly #clock: ConnectionOptions['clock'];
  readonly #reads: ReadClock;
  #controller: Dispatcher.DispatchController | null = null;
  #left = false;

  constructor(session: Session, { clock }: ConnectionOptions) {
    this.#session = session;
    this.#clock = clock;
    this.#reads = new ReadClock(clock);
    session.streams += 1;
  }

  get opened(): OpenedSocket | null {
    return this.#session.opened;
  }

  get firstReadNs(): number | null {
    return this.#reads.firstNs;
  }

  /** A stream is for one request. */
  get usable(): boolean {
    return false;
  }

  dispatch(request: HttpRequest, handler: ResponseHandler): void {
    const told = new UndiciHandler(this.#clock, this.#reads, handler);
    // To undici "idempotent" means that a request need not wait for the others, and that it is sent
    // again when the session is lost: that is refused, as a load test sends nothing twice.
    this.#session.client.dispatch(
      { ...request, idempotent: true },
      {
        onRequestStart: (controller) => {
          this.#controller = controller;
          told.onRequestStart(controller);
        },
        onResponseStart: (controller, status, headers) => {
          this.#reads.saw();
          told.onResponseStart(controller, status, headers);
        },
        onResponseData: (controller, bytes) => {
          this.#reads.saw();
          told.onResponseData(controller, bytes);
        },
        onResponseEnd: () => {
          this.#reads.saw();
          told.onResponseEnd();
        },
        onResponseError: (controller, error) => told.onResponseError(controller, error),
      },
    );
  }

  destroy(): void {
    this.#controller?.abort(new Error('the request was given up'));
  }

  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#session.streams -= 1;
  }
}
