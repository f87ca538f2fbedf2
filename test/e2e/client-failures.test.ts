/** Everything a server, a network or a run can do to a request, over real sockets. */
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { NS_PER_SECOND, nsFromMs } from '../../src/base/index.ts';
import type { SendResult } from '../../src/record/index.ts';
import {
  LAST_CHUNK,
  STREAM_HEAD,
  httpChunk,
  startHostileServer,
  wholeResponse,
  type Answer,
  type HostileServer,
} from '../support/hostile-server.ts';
import { failureOf, sendOnce } from '../support/http-client-harness.ts';
import { sse } from '../support/wire-reading.ts';

const servers: HostileServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function send(
  answer: Answer,
  options: Parameters<typeof sendOnce>[1] = {},
): Promise<SendResult> {
  const server = await startHostileServer(answer);
  servers.push(server);
  return sendOnce(server.url, options);
}

/** Writes these bytes, then does the rest once they are on their way. */
function answering(text: string | Buffer, then: 'wait' | 'end' | 'reset' = 'wait'): Answer {
  return (socket) => {
    socket.write(text, () => {
      if (then === 'end') socket.end();
      if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 20);
    });
  };
}

const body = (...events: string[]): string => STREAM_HEAD + events.map(httpChunk).join('');
/** The same response, without keep-alive. */
const closing = (text: string): string => text.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n');
const json = { 'content-type': 'application/json' };

describe('lost connections', () => {
  test('reset in the middle of the stream: truncated, the output so far kept', async () => {
    const text = body(sse.role(), sse.content('a'));
    for (const sent of [text, closing(text)]) {
      const result = await send(answering(sent, 'reset'));
      expect(failureOf(result)).toBe('truncated');
      expect(result.timeline.output.atNs).toHaveLength(1);
      expect(result.timeline.doneNs).toBeNull();
    }
  });

  test('reset after the finish reason: completed, with a note', async () => {
    const result = await send(answering(body(sse.content('a'), sse.finish()), 'reset'));
    expect(failureOf(result)).toBe('completed');
    expect(result.timeline.notes).toEqual(['resetAfterFinish']);
  });

  test('half a chunk, then the end, with and without keep-alive', async () => {
    const cut = body(sse.content('a')) + httpChunk(sse.content('b')).slice(0, 12);
    for (const text of [cut, closing(cut)]) {
      const result = await send(answering(text, 'end'));
      expect(failureOf(result)).toBe('truncated');
      expect(result.timeline.output.atNs).toHaveLength(1);
    }
  });

  test('bun#36068: cut inside the trailer section', async () => {
    const text = `${body(sse.content('a'))}0\r\n`;
    expect(failureOf(await send(answering(text, 'end')))).toBe('truncated');
  });

  test('fewer bytes than the length promised', async () => {
    const head =
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 500\r\n\r\n';
    expect(failureOf(await send(answering(head + sse.content('a'), 'end')))).toBe('truncated');
  });

  test('a body that stops without finish reason or end mark', async () => {
    const text = body(sse.content('a')) + LAST_CHUNK;
    const result = await send(answering(text));
    expect(failureOf(result)).toBe('truncated');
    expect(result.timeline.bodyEndNs).not.toBeNull();
  });

  test('half a head, and nothing at all', async () => {
    const half = await send(answering(STREAM_HEAD.slice(0, 30), 'end'));
    expect(failureOf(half)).toBe('socket');
    expect(half.timeline.firstByteNs).not.toBeNull();
    const nothing = await send((socket) => socket.end());
    expect(failureOf(nothing)).toBe('socket');
    expect(nothing.timeline.firstByteNs).toBeNull();
    expect(nothing.timeline.writtenNs).not.toBeNull();
  });

  test('not HTTP at all', async () => {
    expect(failureOf(await send(answering('SSH-2.0-OpenSSH_9.9\r\n')))).toBe('protocol');
    const badChunk = `${body(sse.content('a'))}zz\r\n`;
    expect(failureOf(await send(answering(badChunk)))).toBe('protocol');
  });
});

describe('no connection', () => {
  test('a refused port', async () => {
    const server = await startHostileServer(() => {});
    await server.close();
    const result = await sendOnce(server.url);
    expect(failureOf(result)).toBe('connect');
    expect(result.timeline).toMatchObject({ reused: null, peer: null, writtenNs: null });
  });

  test('a name that does not resolve', async () => {
    expect(failureOf(await sendOnce('http://nonexistent.invalid'))).toBe('dns');
  });

  test('TLS spoken to a server without it', async () => {
    const server = await startHostileServer(() => {});
    servers.push(server);
    const answered = await startHostileServer(() => {});
    servers.push(answered);
    const url = answered.url.replace('http:', 'https:');
    const result = await sendOnce(url, { limits: { connectTimeoutNs: nsFromMs(300) } });
    // The server waits for a request that never comes.
    expect(failureOf(result)).toBe('connectTimeout');
  });
});

describe('errors by status', () => {
  const quota = JSON.stringify({
    error: {
      message: 'You exceeded your current quota',
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    },
  });

  test('429 with quota evidence, and when to come back', async () => {
    const headers = { ...json, 'retry-after': '120' };
    const result = await send(answering(wholeResponse('429 Too Many Requests', headers, quota)));
    expect(result.httpStatus).toBe(429);
    expect(result.end).toEqual({
      kind: 'failed',
      failure: 'httpStatus',
      error: {
        httpStatus: 429,
        code: 'insufficient_quota',
        type: 'insufficient_quota',
        retryAfterNs: 120 * NS_PER_SECOND,
        evidence: ['quota'],
      },
    });
  });

  test('429 without evidence, and 503: the server may just be overloaded', async () => {
    for (const status of ['429 Too Many Requests', '503 Service Unavailable']) {
      const result = await send(answering(wholeResponse(status, {}, status.slice(4))));
      expect(result.end).toMatchObject({ failure: 'httpStatus', error: { evidence: [] } });
    }
  });

  test('400: context length', async () => {
    const text = JSON.stringify({
      error: {
        message: "This model's maximum context length is 8192 tokens",
        code: null,
        type: 'BadRequestError',
      },
    });
    const result = await send(answering(wholeResponse('400 Bad Request', json, text)));
    expect(result.end).toMatchObject({ error: { evidence: ['contextLength'] } });
  });

  test('a coded error body is not searched, and an endless one is left', async () => {
    const coded = wholeResponse('500 X', { ...json, 'content-encoding': 'gzip' }, quota);
    expect((await send(answering(coded))).end).toMatchObject({ error: { evidence: [] } });
    const endless: Answer = (socket) => {
      socket.write('HTTP/1.1 500 X\r\n\r\n');
      const more = (): void => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536)));
      };
      socket.on('drain', more);
      more();
    };
    expect(failureOf(await send(endless))).toBe('httpStatus');
  });

  test('an error status whose body never ends: failed by status at the deadline', async () => {
    const head = 'HTTP/1.1 503 X\r\ncontent-length: 100\r\n\r\nx';
    const result = await send(answering(head), { timeoutNs: nsFromMs(500) });
    expect(failureOf(result)).toBe('httpStatus');
  });

  test('a redirect is not followed', async () => {
    const answer = wholeResponse('307 Temporary Redirect', { location: 'http://127.0.0.1:9/' }, '');
    const result = await send(answering(answer));
    expect(failureOf(result)).toBe('redirect');
    expect(result.httpStatus).toBe(307);
  });
});

describe('errors inside a 200', () => {
  test('an error event ends the request at once, while the socket stays open', async () => {
    const error = 'event: error\ndata: {"error":{"code":"tool_use_failed"}}\n\n';
    const result = await send(answering(body(sse.content('a'), error)));
    expect(result.end).toMatchObject({
      failure: 'serverError',
      error: { code: 'tool_use_failed' },
    });
  });

  test('a JSON body in place of the stream', async () => {
    const error = JSON.stringify({ error: { message: 'Rate limit reached', code: 'slow_down' } });
    const announced = await send(answering(wholeResponse('200 OK', json, error)));
    expect(announced.end).toMatchObject({
      failure: 'serverError',
      error: { code: 'slow_down', evidence: ['rateLimit'], httpStatus: 200 },
    });
    const other = await send(answering(wholeResponse('200 OK', json, '{"choices":[]}')));
    expect(failureOf(other)).toBe('contentType');
  });

  test('an error body sent as the stream itself', async () => {
    const text = '{"error":{"message":"gone"}}';
    const result = await send(answering(body(text) + LAST_CHUNK));
    expect(failureOf(result)).toBe('serverError');
  });
});

describe('bodies that cannot be read', () => {
  test('a content type that is neither stream nor JSON, or none', async () => {
    const html = wholeResponse('200 OK', { 'content-type': 'text/html' }, '<h1>hello</h1>');
    expect(failureOf(await send(answering(html)))).toBe('contentType');
    expect(failureOf(await send(answering(wholeResponse('200 OK', {}, sse.done()))))).toBe(
      'contentType',
    );
    const stream = body(sse.content('a'), sse.done()) + LAST_CHUNK;
    expect(failureOf(await send(answering(stream), { streamed: false }))).toBe('contentType');
  });

  test('a coded stream', async () => {
    const coded = gzipSync(sse.content('a') + sse.done());
    const head = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\ncontent-length: ${coded.length}\r\n\r\n`;
    const result = await send(answering(Buffer.concat([Buffer.from(head), coded])));
    expect(failureOf(result)).toBe('contentEncoding');
  });

  test('a line over its budget, a body over its budget', async () => {
    const long = await send(answering(body('data: ', 'x'.repeat(3_000))), {
      limits: { lineBytes: 2_000 },
    });
    expect(failureOf(long)).toBe('lineLimit');
    const many = Array.from({ length: 50 }, () => sse.content('x'));
    const large = await send(answering(body(...many)), { limits: { responseBytes: 2_000 } });
    expect(failureOf(large)).toBe('bodyLimit');
  });

  test('broken UTF-8 and broken JSON', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${STREAM_HEAD}9\r\ndata: `),
      Buffer.from([0xff, 10, 10]),
      Buffer.from('\r\n'),
    ]);
    expect(failureOf(await send(answering(bytes)))).toBe('utf8');
    expect(failureOf(await send(answering(body('data: {\n\n'))))).toBe('json');
  });

  test('an answer without output', async () => {
    const text = body(sse.role(), sse.finish(), sse.usage(3), sse.done()) + LAST_CHUNK;
    const result = await send(answering(text));
    expect(failureOf(result)).toBe('empty');
    expect(result.timeline.usage?.completionTokens).toBe(3);
  });
});

describe('ends set by the run', () => {
  test('a slow answer is given up at its deadline, the output so far kept', async () => {
    const result = await send(answering(body(sse.content('a'))), { timeoutNs: nsFromMs(500) });
    expect(result.end).toMatchObject({ kind: 'timedOut' });
    expect(result.timeline.output.atNs).toHaveLength(1);
    expect(result.timeline.doneNs).toBeNull();
  });

  test('one byte at a time does not reset the deadline', async () => {
    const drip: Answer = (socket) => {
      const text = body(sse.content('slow'));
      let at = 0;
      const timer = setInterval(() => {
        socket.write(text[at % text.length] as string);
        at += 1;
      }, 5);
      socket.on('close', () => clearInterval(timer));
    };
    const result = await send(drip, { timeoutNs: nsFromMs(500) });
    expect(result.end.kind).toBe('timedOut');
  });

  test('a deadline while still connecting', async () => {
    const server = await startHostileServer(() => {});
    servers.push(server);
    // TLS to a silent server: the handshake hangs.
    const result = await sendOnce(server.url.replace('http:', 'https:'), {
      timeoutNs: nsFromMs(500),
    });
    expect(result.end.kind).toBe('timedOut');
    expect(result.timeline.writtenNs).toBeNull();
  });

  test('cancelled by the run: before, and in the middle', async () => {
    const before = await send(answering(''), { signal: AbortSignal.abort() });
    expect(before.end.kind).toBe('cancelled');
    const controller = new AbortController();
    const answer: Answer = (socket) => {
      socket.write(body(sse.content('a')));
      setTimeout(() => controller.abort(), 100);
    };
    const during = await send(answer, { signal: controller.signal });
    expect(during.end.kind).toBe('cancelled');
    expect(during.timeline.output.atNs).toHaveLength(1);
  });
});
