/** Requests whose answer says where the stream is, which is then fetched: to its user, one answer. */
import type { FollowedAnswer } from '../wire/index.ts';
import { parseObject } from '../wire/index.ts';
import { BoundedText } from './bounded-text.ts';
import { addOpenings, NO_OPENINGS, type ConnectionOpenings } from './opening-tally.ts';
import { judgeHead, type ResponseHeaders } from './response-head.ts';
import { streamPlace, type StreamPlace } from './stream-place.ts';
import type { Target } from './target.ts';
import type {
  Connection,
  ConnectionSource,
  HttpRequest,
  ResponseHandler,
  TransportFault,
} from './transport.ts';

export interface FollowOptions {
  readonly follow: FollowedAnswer;
  readonly target: Target;
  /** Connections to the target. */
  readonly direct: ConnectionSource;
  /** Makes those to another host of the service; called once for each. */
  readonly connectTo: (origin: string) => ConnectionSource;
  /** Most of the answer that names the stream. */
  readonly responseBytes: number;
}

/**
 * Each request is answered by two responses, over two connections. The first is of no interest once
 * it has named the stream; one that names none is the answer itself, which tells why.
 */
export class FollowedAnswers implements ConnectionSource {
  readonly #options: FollowOptions;
  readonly #elsewhere = new Map<string, ConnectionSource>();

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  get openings(): ConnectionOpenings {
    return this.#all().reduce((sum, { openings }) => addOpenings(sum, openings), NO_OPENINGS);
  }

  acquire(): Connection {
    return new FollowedConnection(this.#options, (place) => this.#sourceFor(place));
  }

  release(connection: Connection, reusable: boolean): void {
    (connection as FollowedConnection).release(reusable);
  }

  /** To the target, and to the hosts that streams came from so far: the preflight has asked for one. */
  async warm(count: number): Promise<number> {
    const opened = await Promise.all(this.#all().map((source) => source.warm(count)));
    return opened.reduce((sum, each) => sum + each, 0);
  }

  close(): void {
    for (const source of this.#all()) source.close();
  }

  #all(): readonly ConnectionSource[] {
    return [this.#options.direct, ...this.#elsewhere.values()];
  }

  #sourceFor({ url, atTarget }: StreamPlace): ConnectionSource {
    if (atTarget) return this.#options.direct;
    const known = this.#elsewhere.get(url.origin);
    if (known !== undefined) return known;
    const source = this.#options.connectTo(url.origin);
    this.#elsewhere.set(url.origin, source);
    return source;
  }
}

/** A connection and where it goes back to. */
interface Leased {
  readonly source: ConnectionSource;
  readonly connection: Connection;
}

const JSON_TYPES = ['application/json'];

class FollowedConnection implements Connection {
  readonly #options: FollowOptions;
  readonly #sourceFor: (place: StreamPlace) => ConnectionSource;
  /** What carries the response that is waited for; `null` before the request and at the end. */
  #leased: Leased | null = null;
  /** Of the connection that carried the request, once its response was read. */
  #first: Connection['opened'] = null;
  #isOver = false;

  constructor(options: FollowOptions, sourceFor: (place: StreamPlace) => ConnectionSource) {
    this.#options = options;
    this.#sourceFor = sourceFor;
  }

  /** A handshake of either counts, the later of both; the peer is who streams. */
  get opened(): Connection['opened'] {
    const now = this.#leased?.connection.opened ?? null;
    if (this.#first === null || now === null) return now ?? this.#first;
    return now.connectedNs < this.#first.connectedNs ? { ...this.#first, peer: now.peer } : now;
  }

  get firstReadNs(): number | null {
    return this.#leased?.connection.firstReadNs ?? null;
  }

  /** It is for one request. */
  get usable(): boolean {
    return false;
  }

  dispatch(request: HttpRequest, handler: ResponseHandler): void {
    const { direct, responseBytes } = this.#options;
    const created = new FirstAnswer(handler, responseBytes, (text) =>
      this.#follow(text, request, handler),
    );
    const headers = { ...request.headers, accept: JSON_TYPES.join(', ') };
    this.#lease(direct).dispatch({ ...request, headers }, created);
  }

  destroy(): void {
    this.release(false);
  }

  release(reusable: boolean): void {
    this.#isOver = true;
    this.#giveBack(reusable);
  }

  #giveBack(reusable: boolean): void {
    const leased = this.#leased;
    this.#leased = null;
    leased?.source.release(leased.connection, reusable);
  }

  #lease(source: ConnectionSource): Connection {
    const connection = source.acquire();
    this.#leased = { source, connection };
    return connection;
  }

  /** Returns whether the answer named a stream, which is fetched then or refused. */
  #follow(text: string, request: HttpRequest, handler: ResponseHandler): boolean {
    const { follow, target } = this.#options;
    const answer = parseObject(text);
    const named = answer === null ? null : follow.streamUrl(answer);
    if (named === null) return false;
    const place = streamPlace(named, target, follow);
    if (place === null) {
      const cause = new Error('the stream is at another host');
      handler.onFault({ kind: 'failed', failure: 'redirect', connectedNs: null, cause });
      return true;
    }
    this.#first = this.opened;
    this.#giveBack(true);
    const { 'content-type': _type, ...headers } = request.headers;
    const path = `${place.url.pathname}${place.url.search}`;
    const sent: HttpRequest = { method: 'GET', path, headers, body: null };
    // Not from inside its last read: the connection may well be the same again.
    queueMicrotask(() => {
      if (!this.#isOver) this.#lease(this.#sourceFor(place)).dispatch(sent, handler);
    });
    return true;
  }
}

/** Hears of the first response. What cannot name a stream is handed on, as it comes. */
class FirstAnswer implements ResponseHandler {
  readonly #handler: ResponseHandler;
  readonly #follow: (text: string) => boolean;
  readonly #text: BoundedText;
  #head: { readonly status: number; readonly headers: ResponseHeaders } | null = null;
  #handsOn = false;
  #lastReadId = 0;

  constructor(handler: ResponseHandler, responseBytes: number, follow: (text: string) => boolean) {
    this.#handler = handler;
    this.#follow = follow;
    this.#text = new BoundedText(responseBytes);
  }

  onWritten(atNs: number): void {
    this.#handler.onWritten(atNs);
  }

  onHead(status: number, headers: ResponseHeaders): void {
    this.#head = { status, headers };
    this.#handsOn = judgeHead(status, headers, JSON_TYPES).kind === 'error';
    if (this.#handsOn) this.#handler.onHead(status, headers);
  }

  onBody(memory: Buffer, from: number, to: number, atNs: number, readId: number): void {
    if (this.#handsOn) {
      this.#handler.onBody(memory, from, to, atNs, readId);
      return;
    }
    this.#lastReadId = readId;
    this.#text.add(memory.subarray(from, to));
    if (!this.#text.full) return;
    const cause = new Error('the answer is too long');
    this.#handler.onFault({ kind: 'failed', failure: 'bodyLimit', connectedNs: null, cause });
  }

  onEnd(atNs: number): void {
    const text = this.#handsOn ? '' : this.#text.text();
    if (!this.#handsOn && this.#follow(text)) return;
    if (!this.#handsOn && this.#head !== null) {
      this.#handler.onHead(this.#head.status, this.#head.headers);
      const bytes = Buffer.from(text);
      this.#handler.onBody(bytes, 0, bytes.length, atNs, this.#lastReadId);
    }
    this.#handler.onEnd(atNs);
  }

  onFault(fault: TransportFault): void {
    this.#handler.onFault(fault);
  }
}
