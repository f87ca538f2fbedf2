import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HttpResponseReader } from './http-response.ts';

/** What a reader told of these pieces, bodies joined. */
function read(pieces: readonly Buffer[], isOver = false) {
  const told: string[] = [];
  let body = '';
  const reader = new HttpResponseReader({
    head: (status, headers) => told.push(`${status} ${JSON.stringify(headers)}`),
    body: (memory, from, to) => {
      body += memory.toString('latin1', from, to);
    },
    complete: () => told.push('complete'),
    malformed: () => told.push('malformed'),
  });
  reader.begin();
  for (const piece of pieces) reader.push(piece);
  if (isOver) told.push(reader.end());
  const { reusable, keepAliveSeconds } = reader;
  return { told, body, reusable, keepAliveSeconds };
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

describe('a response', () => {
  test('in chunks, with extensions and trailers', () => {
    const text = `${CHUNKED}5\r\nhello\r\n1;a="b"\r\n \r\n5 ; a=b\r\nworld\r\n0\r\nx: y\r\n\r\n`;
    const { told, body, reusable } = read([bytesOf(text)]);
    expect(told).toEqual(['200 {"transfer-encoding":"chunked"}', 'complete']);
    expect([body, reusable]).toEqual(['hello world', true]);
  });

  test('of a length, kept alive for a stated time', () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: max=9, timeout=7\r\n\r\n';
    const { told, body, reusable, keepAliveSeconds } = read([bytesOf(`${head}hi`)]);
    expect(told.at(-1)).toBe('complete');
    expect([body, reusable, keepAliveSeconds]).toEqual(['hi', true, 7]);
  });

  test.each([
    ['that says so', 'HTTP/1.1 200 OK\r\nconnection: x, Close\r\ncontent-length: 0\r\n\r\n'],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['with junk behind it', 'HTTP/1.1 204 No\r\n\r\nHTTP/1.1 200 OK\r\n'],
  ])('%s ends its connection', (_what, text) => {
    const { told, reusable } = read([bytesOf(text)]);
    expect(told.at(-1)).toBe('complete');
    expect(reusable).toBe(false);
  });

  test('ended by the close, and one cut off', () => {
    expect(read([bytesOf('HTTP/1.1 200 OK\r\n\r\nhi')], true)).toMatchObject({
      told: ['200 {}', 'complete'],
      body: 'hi',
      reusable: false,
    });
    expect(read([bytesOf(`${CHUNKED}5\r\nhel`)], true).told.at(-1)).toBe('cut');
  });

  test('a header given twice is a list, and a prototype is only a name', () => {
    const head = 'HTTP/1.1 204 No\r\na: 1\r\nA: 2\r\n__proto__: x\r\n\r\n';
    expect(read([bytesOf(head)]).told[0]).toBe('204 {"a":["1","2"],"__proto__":"x"}');
  });
});

/** Responses of all framings, whole and broken. */
const response = fc
  .tuple(
    fc.constantFrom('', 'HTTP/1.1 103 Early\r\nlink: x\r\n\r\n', '\r\n'),
    fc.constantFrom(
      `${CHUNKED}5\r\nhello\r\n10;x\r\n0123456789abcdef\r\n0\r\nx: y\r\n\r\nrest`,
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhelloHTTP',
      'HTTP/1.0 200\r\n\r\nbody until the end',
      'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n',
      `${CHUNKED}5\r\nhello!\r\n0\r\n\r\n`,
    ),
    fc.option(fc.tuple(fc.nat(), fc.nat(255)), { freq: 2 }),
  )
  .map(([before, text, broken]) => {
    const bytes = bytesOf(before + text);
    if (broken !== null) bytes[broken[0] % bytes.length] = broken[1];
    return bytes;
  });

test('law: however it is cut, a response is the same', () => {
  fc.assert(
    fc.property(response, fc.array(fc.nat(120), { maxLength: 6 }), (bytes, cuts) => {
      const at = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b)];
      const pieces = at.map((from, index) => bytes.subarray(from, at[index + 1] ?? bytes.length));
      const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
      // Junk behind a response that comes in a piece of its own is seen by the connection.
      const told = (each: readonly Buffer[]) => {
        const { reusable: _reusable, ...rest } = read(each, true);
        return rest;
      };
      const whole = told([bytes]);
      expect(told(pieces)).toEqual(whole);
      expect(told(single)).toEqual(whole);
    }),
    { numRuns: 1_000 },
  );
});
