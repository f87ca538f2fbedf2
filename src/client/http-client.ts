import { NS_PER_MS, NS_PER_SECOND, type Clock } from '../base/index.ts';
import {
  NO_OUTPUT,
  type OutgoingRequest,
  type SendPort,
  type SendResult,
} from '../record/index.ts';
import type { Dialect } from '../wire/index.ts';
import type { AnswerTest } from './answer-tests.ts';
import { ConnectionPool } from './connection-pool.ts';
import { Exchange } from './exchange.ts';
import { exchangeJson, type JsonReply, type JsonRequest } from './json-request.ts';
import { baseHeaders, requestHeaders } from './request-head.ts';
import { targetOf } from './target.ts';

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
  /** Wall clock in ms since 1970, for `Retry-After` dates only. */
  readonly wallNowMs: () => number;
  /** The key itself. It is sent, and never kept in an error or a record. */
  readonly apiKey: string | null;
  /** Headers of every request; they replace ours of the same name. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM certificates trusted instead of the built-in ones. */
  readonly ca: string | null;
  /** `http://[user:password@]host:port`. Proxies named by the environment are ignored. */
  readonly proxy: string | null;
  readonly limits: ClientLimits;
  /** Checks of the answer text, which is kept in memory only when there are some. */
  readonly tests: readonly AnswerTest[];
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
  /** Closes all connections; requests in flight end as failed. */
  close(): void;
}

/**
 * The plain transport: undici's HTTP/1.1 parser over sockets this room opens and stamps, one
 * request per connection at a time, no retries, no redirects, no hidden queue.
 *
 * Errors: ProblemsError for a URL that is not one.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { clock, dialect, limits, tests } = options;
  const target = targetOf(options.url);
  const proxy = options.proxy === null ? null : new URL(options.proxy);
  const pool = new ConnectionPool({ ...limits, target, clock, ca: options.ca, proxy });
  const exchangeOptions = { ...limits, clock, wallNowMs: options.wallNowMs, tests };
  const answerPath = `${target.apiPath}${dialect.path}${target.query}`;

  function send(request: OutgoingRequest, signal: AbortSignal): Promise<SendResult> {
    if (signal.aborted) return Promise.resolve(neverSent(clock.nowNs()));
    const reader = dialect.createReader({
      stream: request.streamed,
      requestedChoices: typeof request.body['n'] === 'number' ? request.body['n'] : 1,
      lineBytes: limits.lineBytes,
      keepText: tests.length > 0,
    });
    const body = JSON.stringify(request.body);
    const headers = requestHeaders(options, request);
    return new Promise((resolve) => {
      const connection = pool.acquire();
      const exchange = new Exchange(
        exchangeOptions,
        request,
        connection,
        reader,
        (result, reuse) => {
          signal.removeEventListener('abort', onAbort);
          pool.release(connection, reuse);
          resolve(result);
        },
      );
      const onAbort = (): void => exchange.cancel();
      signal.addEventListener('abort', onAbort);
      connection.dispatch({ method: 'POST', path: answerPath, headers, body }, exchange);
    });
  }

  async function requestJson(request: JsonRequest): Promise<JsonReply> {
    const { method, under, path, body, timeoutNs } = request;
    const connection = pool.acquire();
    const root = under === 'api' ? target.apiPath : target.rootPath;
    const headers = baseHeaders(options, 'application/json');
    const withBody = { ...headers, 'content-type': 'application/json' };
    let reusable = false;
    try {
      const exchanged = await exchangeJson(
        connection,
        {
          method,
          path: `${root}${path}${target.query}`,
          headers: body === null ? headers : withBody,
          body: body === null ? null : JSON.stringify(body),
        },
        { clock, timeoutNs, origin: target.origin },
      );
      reusable = exchanged.reusable;
      return exchanged.reply;
    } finally {
      pool.release(connection, reusable);
    }
  }

  return {
    send,
    requestJson,
    warm: (connections) => pool.warm(connections),
    get connectionsOpened() {
      return pool.openedCount;
    },
    close: () => pool.close(),
  };
}

/** Cancelled before it was taken up. */
function neverSent(atNs: number): SendResult {
  return {
    dispatchedNs: atNs,
    timeline: {
      connectedNs: null,
      tlsDoneNs: null,
      reused: null,
      peer: null,
      writtenNs: null,
      firstByteNs: null,
      firstEventNs: null,
      lastChoicesEventNs: null,
      usageAtNs: null,
      finishNs: null,
      terminalNs: null,
      doneNs: null,
      bodyEndNs: null,
      output: NO_OUTPUT,
      usage: null,
      finishReason: null,
      commentCount: 0,
      bodyBytes: 0,
      notes: [],
    },
    end: { kind: 'cancelled', atNs },
    httpStatus: null,
    queueNs: null,
    checks: [],
  };
}
