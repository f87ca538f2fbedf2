/** What the client makes of answers that are whole, over real sockets. */
import { createServer as createHttpServer } from 'node:http';
import { connect as connectTcp, type AddressInfo, type Socket } from 'node:net';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createRealClock, nsFromMs, waitUntil } from '../../src/base/index.ts';
import type { HttpClient } from '../../src/client/index.ts';
import {
  LAST_CHUNK,
  STREAM_HEAD,
  httpChunk,
  startHostileServer,
  wholeResponse,
  writeApart,
  type Answer,
  type HostileServer,
} from '../support/hostile-server.ts';
import {
  clientFor,
  expectConsistent,
  failureOf,
  requestOf,
  sendOnce,
} from '../support/http-client-harness.ts';
import { sse } from '../support/wire-reading.ts';

const GOOD = [
  sse.role(),
  sse.content('a'),
  sse.content('b'),
  sse.finish(),
  sse.usage(2),
  sse.done(),
];
const answerWell: Answer = (socket) => {
  socket.write(STREAM_HEAD + GOOD.map(httpChunk).join('') + LAST_CHUNK);
};

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0)) await item.close();
});

async function server(
  answer: Answer,
  tls?: { key: string; cert: string },
  onConnection?: (socket: Socket) => void,
): Promise<HostileServer> {
  const started = await startHostileServer(answer, tls, onConnection);
  open.push(started);
  return started;
}

function client(...parameters: Parameters<typeof clientFor>): HttpClient {
  const made = clientFor(...parameters);
  open.push(made);
  return made;
}

const never = new AbortController().signal;

describe('a whole streamed answer', () => {
  test('gives a completed timeline; what one read brought shares one stamp', async () => {
    const { url, requests } = await server(answerWell);
    const result = await sendOnce(url, { apiKey: 'sk-test', headers: { 'X-Extra': '1' } });
    expect(result.end).toEqual({ kind: 'completed' });
    expect(result.httpStatus).toBe(200);
    const { timeline } = result;
    expect(timeline).toMatchObject({ reused: false, finishReason: 'stop', notes: [] });
    expect(timeline.usage?.completionTokens).toBe(2);
    expect(timeline.output.readId).toEqual([0, 0]);
    expect(timeline.peer).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(timeline.bodyBytes).toBe(Buffer.byteLength(GOOD.join('')));
    expect(requests[0]).toContain('POST /v1/chat/completions HTTP/1.1');
    expect(requests[0]?.toLowerCase()).toContain('accept-encoding: identity');
    expect(requests[0]).toContain('authorization: Bearer sk-test');
    expect(requests[0]).toContain('x-extra: 1');
    expect(requests[0]).toContain('x-request-id: request-0');
  });

  test('a head in halves: the first byte is not the first event', async () => {
    const rest = GOOD.map(httpChunk).join('') + LAST_CHUNK;
    const { url } = await server((socket) => {
      writeApart(socket, [STREAM_HEAD.slice(0, 20), STREAM_HEAD.slice(20), rest]);
    });
    const { timeline, end } = await sendOnce(url);
    expect(end.kind).toBe('completed');
    expect(timeline.firstEventNs).toBeGreaterThan(timeline.firstByteNs as number);
  });

  test('events in separate segments have separate reads and stamps', async () => {
    const { url } = await server((socket) => {
      writeApart(socket, [STREAM_HEAD, ...GOOD.map(httpChunk), LAST_CHUNK]);
    });
    const { timeline } = await sendOnce(url);
    const [first, second] = timeline.output.readId as [number, number];
    expect(second).toBeGreaterThan(first);
    expect(timeline.output.atNs[1]).toBeGreaterThan(timeline.output.atNs[0] as number);
  });

  test('a body ended by the connection’s close', async () => {
    const { url } = await server((socket) => {
      socket.end(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n${GOOD.join('')}`);
    });
    const { timeline, end } = await sendOnce(url);
    expect(end.kind).toBe('completed');
    expect(timeline.bodyEndNs).not.toBeNull();
  });

  test('the answer is done at its end mark, though the body stays open', async () => {
    const { url } = await server((socket) => {
      socket.write(STREAM_HEAD + GOOD.map(httpChunk).join(''));
    });
    const { timeline, end } = await sendOnce(url);
    expect(end.kind).toBe('completed');
    expect(timeline.notes).toEqual(['openAfterTerminal']);
    expect(timeline.doneNs).toBe(timeline.terminalNs);
    expect(timeline.bodyEndNs).toBeNull();
  });

  test('neither a deadline nor the run’s end takes back an answer that is done', async () => {
    const { url } = await server((socket) => {
      socket.write(STREAM_HEAD + GOOD.map(httpChunk).join(''));
    });
    const limits = { terminalGraceNs: nsFromMs(5_000) };
    const late = await sendOnce(url, { limits, timeoutNs: nsFromMs(600) });
    expect(late.end.kind).toBe('completed');
    const stopped = await sendOnce(url, { limits, signal: AbortSignal.timeout(600) });
    expect(stopped.end.kind).toBe('completed');
  });

  test('a reset after the end mark is a note', async () => {
    const { url } = await server((socket) => {
      socket.write(STREAM_HEAD + GOOD.map(httpChunk).join(''), () => {
        setTimeout(() => socket.resetAndDestroy(), 20);
      });
    });
    const { timeline, end } = await sendOnce(url);
    expect(end.kind).toBe('completed');
    expect(timeline.notes).toEqual(['resetAfterTerminal']);
  });

  test('checks see the answer text; only their results come out', async () => {
    const { url } = await server(answerWell);
    const seen: string[] = [];
    const tests = [
      { name: 'long', passes: (text: string) => seen.push(text) > 1 },
      {
        name: 'throws',
        passes: (): boolean => {
          throw new Error('broken check');
        },
      },
    ];
    const { checks } = await sendOnce(url, { tests });
    expect(seen).toEqual(['ab']);
    expect(checks).toEqual([
      { name: 'long', passed: false },
      { name: 'throws', passed: false },
    ]);
  });
});

test('whoever asks for the words of an answer gets them before the result, and only if it completed', async () => {
  const { url } = await server(answerWell);
  const said: string[] = [];
  const onText = (text: string): void => void said.push(text);
  for (const transport of ['fast', 'compat'] as const) {
    const result = await sendOnce(url, { onText, transport });
    expect(JSON.stringify(result)).not.toContain('"ab"');
  }
  expect(said).toEqual(['ab', 'ab']);
  const { url: broken } = await server((socket) => socket.end(wholeResponse('500 No', {}, 'ab')));
  await sendOnce(broken, { onText });
  expect(said).toHaveLength(2);
});

test('a JSON body: one output event at the body’s end', async () => {
  const body = JSON.stringify({
    choices: [{ index: 0, message: { content: 'hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  });
  const headers = { 'content-type': 'application/json', 'x-queue-time': '12.5' };
  const { url } = await server((socket) => socket.write(wholeResponse('200 OK', headers, body)));
  const { timeline, end, queueNs } = await sendOnce(url, { streamed: false });
  expect(end.kind).toBe('completed');
  expect(timeline.output.atNs).toEqual([timeline.bodyEndNs]);
  expect(timeline.terminalNs).toBeNull();
  expect(queueNs).toBe(12_500_000);
});

describe('connections', () => {
  test('are reused one after the other, and opened ahead by warm', async () => {
    const { url, connectionCount } = await server(answerWell);
    const clock = createRealClock();
    const sender = client(url, { clock });
    expect(await sender.warm(2)).toBe(2);
    for (let index = 0; index < 3; index += 1) {
      const result = await sender.send(requestOf(clock), never);
      expectConsistent(result);
      expect(result.end.kind).toBe('completed');
      expect(result.timeline).toMatchObject({ reused: true, connectedNs: null });
    }
    expect(connectionCount()).toBe(2);
    expect(sender.connectionsOpened).toBe(2);
  });

  test('each request in flight has one of its own', async () => {
    const { url, connectionCount } = await server(answerWell);
    const clock = createRealClock();
    const sender = client(url, { clock });
    const sent = [0, 1, 2].map(() => sender.send(requestOf(clock), never));
    for (const result of await Promise.all(sent)) {
      expect(result.timeline.reused).toBe(false);
      expect(result.timeline.connectedNs).not.toBeNull();
    }
    expect(connectionCount()).toBe(3);
  });

  test('a connection that the server closed meanwhile is not used', async () => {
    let closeAll = (): void => {};
    const { url, connectionCount } = await server(answerWell, undefined, (socket) => {
      const before = closeAll;
      closeAll = () => {
        before();
        socket.end();
      };
    });
    const clock = createRealClock();
    const sender = client(url, { clock });
    await sender.warm(2);
    await sender.send(requestOf(clock), never);
    closeAll();
    await waitUntil(clock, clock.nowNs() + nsFromMs(50));
    const result = await sender.send(requestOf(clock), never);
    expect(result.end.kind).toBe('completed');
    expect(result.timeline.reused).toBe(false);
    expect(connectionCount()).toBe(3);
    expect(sender.openings).toMatchObject({ ahead: 2, serverClosed: 1, allBusy: 0 });
  });

  test('one that was idle for too long is not used', async () => {
    const { url } = await server(answerWell);
    const clock = createRealClock();
    const sender = client(url, { clock, limits: { idleConnectionNs: nsFromMs(20) } });
    await sender.send(requestOf(clock), never);
    await waitUntil(clock, clock.nowNs() + nsFromMs(200));
    expect((await sender.send(requestOf(clock), never)).timeline.reused).toBe(false);
    expect(sender.openings).toMatchObject({ allBusy: 1, idleEnded: 1, serverClosed: 0 });
  });

  test('lost on reuse before a byte came: failed, never sent again unseen, and noted', async () => {
    const { url, requests } = await server((socket, request, index) => {
      if (index === 0) answerWell(socket, request, index);
      else socket.destroy();
    });
    const clock = createRealClock();
    const sender = client(url, { clock });
    await sender.send(requestOf(clock), never);
    const second = await sender.send(requestOf(clock), never);
    expect(failureOf(second)).toBe('socket');
    expect(second.timeline.notes).toEqual(['reusedConnectionLost']);
    expect(requests).toHaveLength(2);
  });
});

describe('requests outside the load', () => {
  test('reach the API and the server’s own paths', async () => {
    const { url, requests } = await server((socket, request) => {
      const json = { 'content-type': 'application/json' };
      if (request.startsWith('GET /v1/models')) {
        socket.write(wholeResponse('200 OK', json, '{"data":[{"id":"m"}]}'));
      } else socket.write(wholeResponse('200 OK', {}, ''));
    });
    const sender = client(url);
    const ask = { method: 'GET', body: null, timeoutNs: 5_000_000_000 } as const;
    const models = await sender.requestJson({ ...ask, under: 'api', path: '/models' });
    expect(models).toMatchObject({ httpStatus: 200, json: { data: [{ id: 'm' }] } });
    const health = await sender.requestJson({ ...ask, under: 'root', path: '/health' });
    expect(health).toMatchObject({ httpStatus: 200, json: null, text: '' });
    await sender.requestJson({
      ...ask,
      under: 'root',
      path: '/tokenize',
      method: 'POST',
      body: { prompt: 'x' },
    });
    expect(requests[2]).toContain('{"prompt":"x"}');
    expect(requests[1]).toContain('GET /health');
  });

  test('an unreachable target is an environment error with its code', async () => {
    const gone = await startHostileServer(answerWell);
    await gone.close();
    const ask = { method: 'GET', under: 'api', path: '/models', body: null } as const;
    await expect(
      client(gone.url).requestJson({ ...ask, timeoutNs: 5_000_000_000 }),
    ).rejects.toMatchObject({ code: 'E_TARGET_UNREACHABLE' });
  });
});

test('a proxy is used as a tunnel, only when given', async () => {
  const { url, port } = await server(answerWell);
  const tunnels: string[] = [];
  const proxy = createHttpServer().on('connect', (request, socket) => {
    tunnels.push(`${request.url} ${request.headers['proxy-authorization']}`);
    const upstream = connectTcp(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => proxy.closeAllConnections() }, proxy);
  const { port: proxyPort } = proxy.address() as AddressInfo;
  const result = await sendOnce(url, { proxy: `http://me:pass@127.0.0.1:${proxyPort}` });
  expect(result.end.kind).toBe('completed');
  expect(result.timeline.peer).toBe(`127.0.0.1:${proxyPort}`);
  expect(tunnels).toEqual([`127.0.0.1:${port} Basic ${btoa('me:pass')}`]);
});

const certificate = selfSigned();
describe.skipIf(certificate === null)('TLS (needs openssl to make a certificate)', () => {
  const made = certificate as { key: string; cert: string };

  test('a certificate nobody vouches for is a TLS failure, after TCP was ready', async () => {
    const { url } = await server(answerWell, made);
    const result = await sendOnce(url);
    expect(failureOf(result)).toBe('tls');
    expect(result.timeline.connectedNs).not.toBeNull();
  });

  test('with its certificate given, the handshake is timed', async () => {
    const { url } = await server(answerWell, made);
    const { timeline, end } = await sendOnce(url, { ca: made.cert });
    expect(end.kind).toBe('completed');
    expect(timeline.tlsDoneNs).toBeGreaterThan(timeline.connectedNs as number);
    expect(timeline.output.readId).toEqual([0, 0]);
  });
});

function selfSigned(): { key: string; cert: string } | null {
  const folder = mkdtempSync(join(tmpdir(), 'goodput-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  try {
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const make = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
    execFileSync('openssl', [...make, '-keyout', key, '-out', cert, ...subject], {
      stdio: 'ignore',
    });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
