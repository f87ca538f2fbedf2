/** An answer that is fetched where another says: two requests, one result. */
import { afterEach, describe, expect, test } from 'vitest';
import { createRealClock, NS_PER_MS } from '../../src/base/index.ts';
import { TRANSPORT_NAMES } from '../../src/client/index.ts';
import type { SendResult } from '../../src/record/index.ts';
import { DIALECTS, type Dialect } from '../../src/wire/index.ts';
import { makeCertificates } from '../support/certificates.ts';
import { DIALECT_STREAMS } from '../support/dialect-streams.ts';
import {
  httpChunk,
  LAST_CHUNK,
  startHostileServer,
  STREAM_HEAD,
  type Answer,
  type HostileServer,
} from '../support/hostile-server.ts';
import { clientFor, failureOf, requestOf, sendOnce } from '../support/http-client-harness.ts';

const dialect: Dialect = DIALECTS.replicate;
const BODY = { model: 'meta/llama', input: { prompt: 'hi' }, stream: true };
const TEXT = Buffer.from(DIALECT_STREAMS.replicate(['a', 'b'])).toString('utf8');
const streamOf = (text: string): string => STREAM_HEAD + httpChunk(text) + LAST_CHUNK;
const STREAM = streamOf(TEXT);

const servers: HostileServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const json = (value: unknown, head = '201 Created'): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `HTTP/1.1 ${head}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
};

interface Service {
  /** What answers the request; left out: where the stream is. */
  readonly creates?: string | Answer;
  readonly streams?: string | Answer;
  readonly streamUrl?: string;
  readonly tls?: Parameters<typeof startHostileServer>[1];
}

async function service({
  creates,
  streams = STREAM,
  streamUrl,
  tls,
}: Service = {}): Promise<HostileServer> {
  const say = (what: string | Answer): Answer =>
    typeof what === 'string' ? (socket) => socket.write(what) : what;
  const server = await startHostileServer((socket, request, index) => {
    const stream = streamUrl ?? `${server.url}/s/1?x=y`;
    const made = creates ?? json({ id: '1', status: 'starting', urls: { stream } });
    say(request.startsWith('POST') ? made : streams)(socket, request, index);
  }, tls ?? null);
  servers.push(server);
  return server;
}

describe.each(TRANSPORT_NAMES)('%s', (transport) => {
  const ask = (url: string, more: Parameters<typeof sendOnce>[1] = {}): Promise<SendResult> =>
    sendOnce(url, { dialect, transport, apiKey: 'k', body: BODY, ...more });

  test('the stream is fetched from where the prediction says, over the same connection', async () => {
    const { url, requests, connectionCount } = await service();
    const { end, timeline, dispatchedNs } = await ask(url);
    expect(end).toEqual({ kind: 'completed' });
    expect(timeline).toMatchObject({ finishReason: 'stop', reused: false, notes: [] });
    expect(timeline.output.bytes).toEqual([1, 1]);
    expect(timeline.writtenNs).toBeGreaterThan(dispatchedNs);
    expect(connectionCount()).toBe(1);
    const [create = '', stream = ''] = requests;
    expect(create).toMatch(/^POST \/v1\/models\/meta\/llama\/predictions HTTP/);
    expect(create).toMatch(/accept: application\/json\r\n/i);
    expect(stream).toMatch(/^GET \/s\/1\?x=y HTTP/);
    expect(stream).toMatch(/accept: text\/event-stream\r\n/i);
    expect(stream).not.toMatch(/content-type|content-length/i);
    for (const request of requests) expect(request).toMatch(/authorization: Bearer k\r\n/i);
  });

  test.each([
    ['is refused', 'HTTP/1.1 429 No\r\nretry-after: 3\r\ncontent-length: 0\r\n\r\n', 'httpStatus'],
    ['has failed', json({ status: 'failed', error: 'no such model' }), 'serverError'],
    ['names no stream', json({ status: 'starting', urls: { get: 'x' } }), 'contentType'],
    ['is no JSON', json('{'), 'contentType'],
    ['is a page', json('x').replace('application/json', 'text/html'), 'contentType'],
    ['is a redirect', json('', '302 Found'), 'redirect'],
    ['is the stream itself', STREAM, 'completed'],
    ['is too long', json(`"${'x'.repeat(9_000)}"`), 'bodyLimit'],
  ])('a prediction that %s', async (_what, creates, outcome) => {
    const { url, requests } = await service({ creates });
    const result = await ask(url, { limits: { responseBytes: 4_000 } });
    expect(failureOf(result)).toBe(outcome);
    expect(requests).toHaveLength(1);
  });

  test('a connection that is lost before, or in, the prediction', async () => {
    const before = await service({ creates: (socket) => socket.destroy() });
    expect(failureOf(await ask(before.url))).toBe('socket');
    const within = await service({ creates: (socket) => socket.end(json('{}').slice(0, -1)) });
    expect(failureOf(await ask(within.url))).toBe('truncated');
  });

  test.each([
    ['is not there', json('', '404 Not Found'), 'httpStatus'],
    ['is JSON', json('{}', '200 OK'), 'contentType'],
    ['is a redirect', json('', '302 Found'), 'redirect'],
    ['tells an error', streamOf(TEXT.replace('event: done', 'event: error')), 'serverError'],
  ])('a stream that %s', async (_what, streams, outcome) => {
    const { url } = await service({ streams });
    expect(failureOf(await ask(url))).toBe(outcome);
  });

  test('a stream that is cut keeps its output', async () => {
    const text = STREAM_HEAD + httpChunk(TEXT.slice(0, TEXT.indexOf('event: done')));
    const { url } = await service({ streams: (socket) => socket.end(text) });
    const result = await ask(url);
    expect(failureOf(result)).toBe('truncated');
    expect(result.timeline.output.bytes).toEqual([1, 1]);
  });

  test('a stream at another host is a redirect: nothing is sent there', async () => {
    const other = await service();
    const { url } = await service({ streamUrl: `${other.url}/s/1` });
    expect(failureOf(await ask(url))).toBe('redirect');
    expect(other.requests).toEqual([]);
  });

  test.each(['creates', 'streams'] as const)(
    'one deadline, one cancellation: %s',
    async (stage) => {
      const silent: Answer = () => {};
      const late = await service({ [stage]: silent });
      const clock = createRealClock();
      const before = clock.nowNs();
      const result = await ask(late.url, { clock, timeoutNs: 60 * NS_PER_MS });
      expect(result.end.kind).toBe('timedOut');
      expect(result.dispatchedNs).toBeGreaterThanOrEqual(before);

      const run = new AbortController();
      const stopped = await service({
        [stage]: () => {
          run.abort();
        },
      });
      expect((await ask(stopped.url, { signal: run.signal })).end.kind).toBe('cancelled');
    },
  );

  const pem = makeCertificates();
  test.skipIf(pem === null)('a stream at another host of the service, over TLS', async () => {
    const tls = pem?.server ?? null;
    const streaming = await service({ tls });
    const place = streaming.url.replace('127.0.0.1', 'localhost');
    const creating = await service({ tls, streamUrl: `${place}/s/1` });
    const clock = createRealClock();
    const follow = { ...DIALECTS.replicate.follow, domains: ['localhost'] } as Dialect['follow'];
    const client = clientFor(creating.url.replace('127.0.0.1', 'localhost'), {
      clock,
      transport,
      apiKey: 'k',
      ca: pem?.server.cert ?? null,
      dialect: { ...dialect, follow },
    });
    const send = (): Promise<SendResult> =>
      client.send(requestOf(clock, { body: BODY }), new AbortController().signal);
    try {
      const first = await send();
      expect(first.end).toEqual({ kind: 'completed' });
      expect(first.timeline).toMatchObject({ reused: false });
      expect(first.timeline.peer).toMatch(new RegExp(`:${streaming.port}$`));
      expect(first.timeline.tlsDoneNs).not.toBeNull();
      const second = await send();
      expect(second.timeline).toMatchObject({ reused: true, tlsDoneNs: null });
      expect(client.connectionsOpened).toBe(2);
      expect(await client.warm(3)).toBe(6);
    } finally {
      client.close();
    }
  });
});
