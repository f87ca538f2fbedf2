/** What every transport must make of a server: each case is bytes, and what they are. */
import { gzipSync } from 'node:zlib';
import type { Answer } from '../support/hostile-server.ts';
import { httpChunk, LAST_CHUNK, STREAM_HEAD, writeApart } from '../support/hostile-server.ts';
import { sse } from '../support/wire-reading.ts';

export interface TransportCase {
  readonly what: string;
  readonly answer: Answer;
  /** `completed`, or the failure class. */
  readonly outcome: string;
  /** Output events. */
  readonly events?: number;
}

const EVENTS = [sse.role(), sse.content('a'), sse.content('é'), sse.finish(), sse.done()];
const WHOLE = STREAM_HEAD + EVENTS.map(httpChunk).join('') + LAST_CHUNK;
const TEXT = EVENTS.join('');
const OK = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n';

/** These bytes, then nothing. */
const says =
  (...parts: readonly string[]): Answer =>
  (socket) => {
    writeApart(socket, parts);
  };
/** These bytes, then the end of the connection. */
const ends =
  (text: string | Buffer): Answer =>
  (socket) => {
    socket.end(text);
  };
const good = { outcome: 'completed', events: 2 };
const chunked = (head: string, body: string): string =>
  `${OK}transfer-encoding: chunked\r\n${head}\r\n${body}`;

export const TRANSPORT_CASES: readonly TransportCase[] = [
  { what: 'a whole answer', answer: says(WHOLE), ...good },
  {
    what: 'a body with a length',
    answer: says(`${OK}content-length: ${Buffer.byteLength(TEXT)}\r\n\r\n${TEXT}`),
    ...good,
  },
  { what: 'a body ended by the close', answer: ends(`${OK}\r\n${TEXT}`), ...good },
  { what: 'HTTP/1.0', answer: ends(`${OK.replace('1.1', '1.0')}\r\n${TEXT}`), ...good },
  {
    what: 'chunks cut inside events',
    answer: says(chunked('', Array.from(TEXT, (each) => httpChunk(each)).join('') + LAST_CHUNK)),
    ...good,
  },
  {
    what: 'chunk extensions',
    answer: says(
      chunked(
        '',
        WHOLE.slice(STREAM_HEAD.length).replaceAll(/^([0-9a-f]+)\r\n/gm, '$1;a=b;c="d"\r\n'),
      ),
    ),
    ...good,
  },
  {
    what: 'sizes in upper case with zeros before them',
    answer: says(
      chunked(
        '',
        EVENTS.map(
          (event) => `000${Buffer.byteLength(event).toString(16).toUpperCase()}\r\n${event}\r\n`,
        ).join('') + LAST_CHUNK,
      ),
    ),
    ...good,
  },
  {
    what: 'trailers',
    answer: says(WHOLE.replace(/0\r\n\r\n$/, '0\r\nx-sum: 1\r\nx-more: 2\r\n\r\n')),
    ...good,
  },
  {
    what: 'interim responses',
    answer: says(
      `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n${WHOLE}`,
    ),
    ...good,
  },
  {
    what: 'interim responses, each alone',
    answer: says('HTTP/1.1 103 Early Hints\r\n', '\r\n', WHOLE),
    ...good,
  },
  {
    what: 'a head byte by byte',
    answer: says(...STREAM_HEAD.slice(0, 20).split(''), WHOLE.slice(20)),
    ...good,
  },
  {
    what: 'blanks around header values',
    answer: says(
      WHOLE.replace('content-type: ', 'Content-TYPE:\t  ').replace('chunked\r\n', 'chunked \t\r\n'),
    ),
    ...good,
  },
  { what: 'no reason phrase', answer: says(WHOLE.replace('200 OK', '200 ')), ...good },
  {
    what: 'a long head',
    answer: says(WHOLE.replace('\r\n', `\r\nx-a: ${'a'.repeat(9_000)}\r\n`)),
    ...good,
  },
  {
    what: 'junk after the answer',
    answer: says(`${WHOLE}HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc`),
    ...good,
  },
  {
    what: 'a close that was announced',
    answer: ends(WHOLE.replace('\r\n', '\r\nconnection: close\r\n')),
    ...good,
  },

  {
    what: 'a head beyond all measure',
    answer: says(WHOLE.replace('\r\n', `\r\nx-a: ${'a'.repeat(20_000)}\r\n`)),
    outcome: 'protocol',
  },
  {
    what: 'trailers beyond all measure',
    answer: says(
      chunked('', `${httpChunk(sse.content('a'))}0\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`),
    ),
    outcome: 'protocol',
    events: 1,
  },
  { what: 'another protocol', answer: says('SSH-2.0-OpenSSH_9.9\r\n'), outcome: 'protocol' },
  {
    what: 'a header without colon',
    answer: says(WHOLE.replace('\r\n', '\r\nnonsense\r\n')),
    outcome: 'protocol',
  },
  {
    what: 'a folded header',
    answer: says(WHOLE.replace('\r\n', '\r\nx-a: b\r\n c\r\n')),
    outcome: 'protocol',
  },
  {
    what: 'a blank before the colon',
    answer: says(WHOLE.replace('content-type:', 'content-type :')),
    outcome: 'protocol',
  },
  {
    what: 'a length beside chunks',
    answer: says(WHOLE.replace('\r\n', '\r\ncontent-length: 5\r\n')),
    outcome: 'protocol',
  },
  {
    what: 'two lengths',
    answer: says(`${OK}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`),
    outcome: 'protocol',
  },
  {
    what: 'a length that is none',
    answer: says(`${OK}content-length: 5x\r\n\r\nhello`),
    outcome: 'protocol',
  },
  {
    what: 'a chunk size that is none',
    answer: says(chunked('', `${httpChunk(sse.content('a'))}zz\r\n`)),
    outcome: 'protocol',
    events: 1,
  },
  {
    what: 'a chunk longer than its size',
    answer: says(chunked('', `1\r\nab\r\n${LAST_CHUNK}`)),
    outcome: 'protocol',
  },
  {
    what: 'an upgrade nobody asked for',
    answer: says('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    outcome: 'protocol',
  },

  {
    what: 'less than its length',
    answer: ends(`${OK}content-length: 9000\r\n\r\n${sse.content('a')}`),
    outcome: 'truncated',
    events: 1,
  },
  { what: 'half a chunk', answer: ends(WHOLE.slice(0, 300)), outcome: 'truncated', events: 1 },
  {
    what: 'no last chunk',
    answer: ends(chunked('', httpChunk(sse.content('a')))),
    outcome: 'truncated',
    events: 1,
  },
  {
    what: 'half a trailer section',
    answer: ends(chunked('', `${httpChunk(sse.content('a'))}0\r\nx: 1\r\n`)),
    outcome: 'truncated',
    events: 1,
  },
  { what: 'half a head', answer: ends(STREAM_HEAD.slice(0, 30)), outcome: 'socket' },
  { what: 'nothing', answer: ends(''), outcome: 'socket' },
  {
    what: 'an answer of no length',
    answer: says(`${OK}content-length: 0\r\n\r\n`),
    outcome: 'truncated',
  },
  {
    what: 'no content',
    answer: says('HTTP/1.1 204 No Content\r\ncontent-type: text/event-stream\r\n\r\n'),
    outcome: 'truncated',
  },
  {
    what: 'a coded body',
    answer: ends(
      Buffer.concat([Buffer.from(`${OK}content-encoding: gzip\r\n\r\n`), gzipSync(TEXT)]),
    ),
    outcome: 'contentEncoding',
  },
  {
    what: 'a redirect to another host',
    answer: says(
      'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.2:9/\r\ncontent-length: 0\r\n\r\n',
    ),
    outcome: 'redirect',
  },
];
