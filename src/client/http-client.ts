import { setMaxListeners } from 'node:events';
import { NS_PER_MS, NS_PER_SECOND, printable, ProblemsError, type Clock } from '../base/index.ts';
import {
  NO_TIMELINE,
  type OutgoingRequest,
  type SendPort,
  type SendResult,
} from '../record/index.ts';
import type { Dialect } from '../wire/index.ts';
import type { AnswerTest } from './answer-tests.ts';
import { type AnswerCounter, AnswerTokens } from './answer-tokens.ts';
import { Addresses } from './addresses.ts';
import { awsSignature, type ClientKey } from './aws-signature.ts';
import { Exchange } from './exchange.ts';
import { FollowedAnswers } from './followed-answers.ts';
import type { ConnectionOpenings } from './opening-tally.ts';
import { openConnections } from './open-connections.ts';
import type { ClientCertificate } from './open-socket.ts';
import { exchangeJson, type JsonReply, type JsonRequest } from './json-request.ts';
import { baseHeaders, headerProblems, requestHeaders } from './request-head.ts';
import { Secrets } from './secrets.ts';
import { targetOf, type Target } from './target.ts';
import { ReadingQueue } from './reading-queue.ts';
import type {
  ConnectionOptions,
  ConnectionSource,
  HttpRequest,
  TransportName,
} from './transport.ts';

/** Bounds of the transport; each is a failure of its own when passed. */
export interface ClientLimits {
  /** One line, or the data of one event. */
  readonly lineBytes: number;
  readonly responseBytes: number;
  readonly connectTimeoutNs: number;
  /** How long a body may go on after the end mark before the connection is closed. */
  readonly terminalGraceNs: number;
  /** An unused connection is closed after this, before common servers (5 s) close it. */
  readonly idleConnectionNs: number;
}

export const DEFAULT_CLIENT_LIMITS: ClientLimits = {
  lineBytes: 1_000_000,
  responseBytes: 16_000_000,
  connectTimeoutNs: 10 * NS_PER_SECOND,
  terminalGraceNs: 100 * NS_PER_MS,
  idleConnectionNs: 4 * NS_PER_SECOND,
};

export interface HttpClientOptions {
  /** Base URL; `/v1` is added unless its path ends in a version. */
  readonly url: string;
  readonly dialect: Dialect;
  readonly clock: Clock;
  /** Wall clock in ms since 1970, for `Retry-After` dates and signatures only. */
  readonly wallNowMs: () => number;
  /** The key itself. It is sent or signs, and is never kept in an error or a record. */
  readonly apiKey: ClientKey | null;
  /** Lower-case name of the header that carries it: as `Bearer KEY` if that is `authorization`. */
  readonly keyHeader: string;
  /** Headers of every request; they replace ours of the same name. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM certificates trusted besides the built-in ones. */
  readonly ca: string | null;
  /** Shown to a server that asks for one; `null` for none. */
  readonly clientCertificate: ClientCertificate | null;
  /** `http://[user:password@]host:port`. Proxies named by the environment are ignored. */
  readonly proxy: string | null;
  /** Path of a Unix socket to connect to, in place of the URL's host; `null` for none. */
  readonly unixSocket: string | null;
  readonly transport: TransportName;
  /** HTTP/2 over TLS, which only the compat transport speaks. */
  readonly http2: boolean;
  readonly limits: ClientLimits;
  /** Checks of the answer text, which is kept in memory only when there are some. */
  readonly tests: readonly AnswerTest[];
  /** Counts the tokens of answers by their text; left out: nobody does. */
  readonly counter?: AnswerCounter | null;
}

/** Sends requests to one target. */
export interface HttpClient extends SendPort {
  /** Opens this many connections ahead of the load; returns how many opened. */
  warm(connections: number): Promise<number>;
  /**
   * One small request outside the load.
   * Errors: EnvironmentError `E_TARGET_UNREACHABLE` when no response came.
   */
  requestJson(request: JsonRequest): Promise<JsonReply>;
  /** Connections opened so far. */
  readonly connectionsOpened: number;
  /** The same by why. */
  readonly openings: ConnectionOpenings;
  /** Addresses that connections go to, each with local ports of its own; 0 where they take none. */
  readonly addressCount: number;
  /** Closes all connections; requests in flight end as failed. */
  close(): void;
}

/**
 * One request per connection at a time (HTTP/2: per stream), over sockets this room opens; no
 * retries, no redirects, no hidden queue.
 *
 * Errors: ProblemsError for a URL that is not one, and for headers that cannot be sent.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const problems = headerProblems(options);
  if (problems.length > 0) throw new ProblemsError(problems);
  return new SocketClient(options);
}

class SocketClient implements HttpClient {
  readonly #options: HttpClientOptions;
  readonly #target: Target;
  readonly #addresses: Addresses;
  /** Connections to the target. */
  readonly #pool: ConnectionSource;
  /** What requests of the load are sent over. */
  readonly #answers: ConnectionSource;
  readonly #queue: ReadingQueue;
  readonly #secrets: Secrets;

  constructor(options: HttpClientOptions) {
    const { limits, transport, http2 } = options;
    this.#options = options;
    this.#queue = new ReadingQueue(options.clock);
    this.#secrets = new Secrets(options);
    this.#target = targetOf(options.url, options.dialect.version);
    const proxy = options.proxy === null ? null : new URL(options.proxy);
    this.#addresses = new Addresses(this.#target.host);
    const connecting: ConnectionOptions = {
      ...limits,
      clock: options.clock,
      target: this.#target,
      addresses: this.#addresses,
      ca: options.ca,
      clientCertificate: options.clientCertificate,
      proxy,
      unixSocket: options.unixSocket,
      alpn: http2 ? 'h2' : 'http/1.1',
    };
    this.#pool = openConnections(transport, connecting);
    const { follow } = options.dialect;
    this.#answers =
      follow === null
        ? this.#pool
        : new FollowedAnswers({
            follow,
            target: this.#target,
            direct: this.#pool,
            connectTo: (origin) => openConnections(transport, elsewhere(connecting, origin)),
            responseBytes: limits.responseBytes,
          });
  }

  get openings(): ConnectionOpenings {
    return this.#answers.openings;
  }

  get connectionsOpened(): number {
    return Object.values(this.openings).reduce((sum, count) => sum + count, 0);
  }

  get addressCount(): number {
    if (this.#options.unixSocket !== null) return 0;
    return this.#options.proxy === null ? this.#addresses.count : 1;
  }

  warm(connections: number): Promise<number> {
    return this.#answers.warm(connections);
  }

  close(): void {
    this.#answers.close();
  }

  send(request: OutgoingRequest, signal: AbortSignal): Promise<SendResult> {
    const { clock, dialect, limits, tests, wallNowMs, counter = null } = this.#options;
    if (signal.aborted) return Promise.resolve(neverSent(clock.nowNs()));
    // One signal stops the whole run, so it has as many listeners as requests in flight.
    setMaxListeners(0, signal);
    const tokens = counter === null ? null : new AnswerTokens(counter);
    const reader = dialect.createReader({
      stream: request.streamed,
      requestedChoices: typeof request.body['n'] === 'number' ? request.body['n'] : 1,
      lineBytes: limits.lineBytes,
      keepText: tests.length > 0 || request.onText !== undefined,
      onOutput: tokens?.add,
    });
    const posted = dialect.post(request.body, request.streamed);
    const sent = this.#signed({
      method: 'POST',
      path: this.#pathOf(dialect.under, posted.path, posted.query),
      headers: requestHeaders(this.#options, request),
      body: JSON.stringify(posted.body),
    });
    const mediaTypes = dialect.mediaTypes[request.streamed ? 'stream' : 'body'];
    const options = { ...limits, clock, queue: this.#queue, wallNowMs, tests, mediaTypes };
    const source = request.streamed ? this.#answers : this.#pool;
    return new Promise((resolve) => {
      const connection = source.acquire();
      const exchange = new Exchange(options, request, connection, reader, (result, reusable) => {
        signal.removeEventListener('abort', onAbort);
        source.release(connection, reusable);
        const safe = { ...result, end: this.#secrets.hideInEnd(result.end) };
        resolve(tokens === null ? safe : withCount(safe, tokens));
      });
      const onAbort = (): void => exchange.cancel();
      signal.addEventListener('abort', onAbort);
      connection.dispatch(sent, exchange);
    });
  }

  #signed(request: HttpRequest): HttpRequest {
    const { apiKey, wallNowMs } = this.#options;
    if (apiKey === null || typeof apiKey === 'string') return request;
    const { authority } = this.#target;
    const added = awsSignature(request, authority, apiKey, wallNowMs());
    return { ...request, headers: { ...request.headers, ...added } };
  }

  /** Path and query on the wire; the parameters of the target's own URL win. */
  #pathOf(under: 'api' | 'root', path: string, added: Readonly<Record<string, string>>): string {
    const { apiPath, rootPath, query } = this.#target;
    // Servers do not agree on what a plus sign is, nor then on what was signed.
    const parameters = new URLSearchParams({ ...added, ...query })
      .toString()
      .replaceAll('+', '%20');
    const whole = `${under === 'api' ? apiPath : rootPath}${path}`;
    return parameters === '' ? whole : `${whole}?${parameters}`;
  }

  async requestJson(request: JsonRequest): Promise<JsonReply> {
    const { unixSocket } = this.#options;
    const { origin: named } = this.#target;
    const origin = unixSocket === null ? named : `${named} at ${printable(unixSocket)}`;
    const { method, under, path, timeoutNs } = request;
    const headers = baseHeaders(this.#options, 'application/json');
    const body = request.body === null ? null : JSON.stringify(request.body);
    const sent = this.#signed({
      method,
      path: this.#pathOf(under, path, {}),
      headers: body === null ? headers : { ...headers, 'content-type': 'application/json' },
      body,
    });
    const connection = this.#pool.acquire();
    let reusable = false;
    try {
      const { clock } = this.#options;
      const exchanged = await exchangeJson(connection, sent, { clock, timeoutNs, origin });
      reusable = exchanged.reusable;
      return this.#secrets.hideInReply(exchanged.reply);
    } finally {
      this.#pool.release(connection, reusable);
    }
  }
}

/** The same to another host, which no Unix socket leads to. */
function elsewhere(options: ConnectionOptions, origin: string): ConnectionOptions {
  const target = targetOf(origin);
  return { ...options, target, addresses: new Addresses(target.host), unixSocket: null };
}

function withCount(result: SendResult, tokens: AnswerTokens): SendResult {
  return { ...result, timeline: { ...result.timeline, local: tokens.counted() } };
}

/** Cancelled before it was taken up. */
function neverSent(atNs: number): SendResult {
  return {
    dispatchedNs: atNs,
    timeline: NO_TIMELINE,
    end: { kind: 'cancelled', atNs },
    httpStatus: null,
    queueNs: null,
    checks: [],
  };
}
