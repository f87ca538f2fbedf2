/** One connection of the fast transport: a bare socket, read into shared memory. */
import { assert, NS_PER_SECOND } from '../base/index.ts';
import { HttpResponseReader, type ResponseSink } from './http-response.ts';
import { openSocket, type ConnectError, type OpenedSocket } from './open-socket.ts';
import type { ResponseHeaders } from './response-head.ts';
import type { Connection, ConnectionOptions, HttpRequest, ResponseHandler } from './transport.ts';

/** A server that names its keep-alive time means to close about then: be this much earlier. */
const KEEP_ALIVE_MARGIN_NS = 2 * NS_PER_SECOND;

/**
 * Carries one request at a time. A read is stamped once, before anything is parsed, and all that it
 * brought shares the stamp.
 */
export class FastConnection implements Connection, ResponseSink {
  readonly #options: ConnectionOptions;
  readonly #onOpened: () => void;
  readonly #stop = new AbortController();
  readonly #reader = new HttpResponseReader(this);
  #opened: OpenedSocket | null = null;
  /** Whether a request may be written to the socket. */
  #alive = false;
  #endedByServer = false;
  #handler: ResponseHandler | null = null;
  #headSeen = false;
  /** The last read, or the end of the connection. */
  #lastReadNs = 0;
  #firstReadNs: number | null = null;
  /** Number of the last read within the current response, from 0. */
  #readId = -1;
  /** `null` before the first response: a server waits longer for a first request. */
  #idleUntilNs: number | null = null;

  constructor(options: ConnectionOptions, onOpened: () => void) {
    this.#options = options;
    this.#onOpened = onOpened;
  }

  get opened(): OpenedSocket | null {
    return this.#opened;
  }

  get firstReadNs(): number | null {
    return this.#firstReadNs;
  }

  get usable(): boolean {
    if (!this.#alive || this.#handler !== null) return false;
    return this.#idleUntilNs === null || this.#options.clock.nowNs() < this.#idleUntilNs;
  }

  get endedByServer(): boolean {
    return this.#endedByServer;
  }

  /** Errors: ConnectError. */
  async open(): Promise<void> {
    const onRead = (memory: Buffer, length: number): void => this.#onRead(memory, length);
    const opened = await openSocket(this.#options, this.#stop.signal, onRead);
    const { socket } = opened;
    socket.on('end', () => this.#onClosed(null));
    socket.on('error', (error) => this.#onClosed(error));
    socket.on('close', () => this.#onClosed(null));
    // What is idle keeps no process alive.
    socket.unref();
    this.#opened = opened;
    this.#alive = true;
    this.#onOpened();
  }

  dispatch(request: HttpRequest, handler: ResponseHandler): void {
    assert(this.#handler === null, 'a connection carries one request at a time');
    this.#handler = handler;
    this.#headSeen = false;
    this.#firstReadNs = null;
    this.#readId = -1;
    if (this.#alive) this.#write(request);
    else {
      this.#opened = null;
      this.open().then(
        () => this.#write(request),
        (error: unknown) => this.#onUnopened(error as ConnectError),
      );
    }
  }

  destroy(): void {
    const wasOpen = this.#alive;
    this.#alive = false;
    this.#reader.abandon();
    this.#stop.abort();
    this.#opened?.socket.destroy();
    const cause = new Error('the connection was given up');
    // While it is still being opened, that fails and tells.
    if (wasOpen) this.#lost(cause);
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#headSeen = true;
    this.#handler?.onHead(status, headers);
  }

  body(memory: Buffer, from: number, to: number): void {
    this.#handler?.onBody(memory, from, to, this.#lastReadNs, this.#readId);
  }

  complete(): void {
    const { idleConnectionNs } = this.#options;
    const { reusable, keepAliveSeconds } = this.#reader;
    const keptNs =
      keepAliveSeconds === null
        ? idleConnectionNs
        : Math.min(idleConnectionNs, keepAliveSeconds * NS_PER_SECOND - KEEP_ALIVE_MARGIN_NS);
    this.#idleUntilNs = this.#lastReadNs + keptNs;
    if (!reusable) {
      this.#alive = false;
      this.#endedByServer = true;
    }
    this.#opened?.socket.unref();
    this.#take()?.onEnd(this.#lastReadNs);
  }

  malformed(reason: string): void {
    const cause = new Error(`not an HTTP response: ${reason}`);
    this.#take()?.onFault({ kind: 'failed', failure: 'protocol', connectedNs: null, cause });
    this.destroy();
  }

  /** Head and body in one write: two would be two segments. */
  #write({ method, path, headers, body }: HttpRequest): void {
    const socket = this.#opened?.socket;
    if (this.#handler === null || socket === undefined) return;
    let head = `${method} ${path} HTTP/1.1\r\nhost: ${this.#options.target.authority}\r\nconnection: keep-alive\r\n`;
    for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
    if (body !== null) head += `content-length: ${Buffer.byteLength(body)}\r\n`;
    head += '\r\n';
    this.#reader.begin();
    socket.ref();
    socket.write(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body ?? '')]));
    this.#handler.onWritten(this.#options.clock.nowNs());
  }

  #onRead(memory: Buffer, length: number): void {
    this.#lastReadNs = this.#options.clock.nowNs();
    if (this.#handler === null) {
      // Whatever a silent connection has to say between requests, it is goodbye.
      this.#endedByServer = true;
      this.destroy();
      return;
    }
    this.#firstReadNs ??= this.#lastReadNs;
    this.#readId += 1;
    this.#reader.push(memory, length);
  }

  /** The end of the connection, by either side or by an error. Only the first counts. */
  #onClosed(error: Error | null): void {
    if (!this.#alive && this.#handler === null) return;
    this.#alive = false;
    this.#endedByServer = true;
    this.#lastReadNs = this.#options.clock.nowNs();
    const isWhole = this.#reader.end() === 'complete';
    if (error === null && isWhole) this.#take()?.onEnd(this.#lastReadNs);
    else this.#lost(error ?? new Error('the connection was closed'));
    this.#opened?.socket.destroy();
  }

  #lost(cause: Error): void {
    this.#take()?.onFault(
      this.#headSeen
        ? { kind: 'cut' }
        : { kind: 'failed', failure: 'socket', connectedNs: null, cause },
    );
  }

  #onUnopened(error: ConnectError): void {
    const { failure, connectedNs } = error;
    this.#take()?.onFault({ kind: 'failed', failure, connectedNs, cause: error });
  }

  #take(): ResponseHandler | null {
    const handler = this.#handler;
    this.#handler = null;
    return handler;
  }
}
