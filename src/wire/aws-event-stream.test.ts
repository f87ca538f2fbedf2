import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutAt, piecesOf } from '../../test/support/wire-reading.ts';
import { AwsEventStreamDecoder, awsFrame } from './aws-event-stream.ts';
import type { StreamMessage } from './event-decoder.ts';

function decode(
  pieces: readonly Uint8Array[],
  lineBytes = 1_000_000,
): { messages: StreamMessage[]; failure: string | null; unterminated: boolean } {
  const decoder = new AwsEventStreamDecoder({ lineBytes });
  const messages: StreamMessage[] = [];
  for (const piece of pieces) decoder.push(piece, (message) => messages.push(message) > 0);
  const { failure, unterminated } = decoder;
  return { messages, failure, unterminated };
}

const event = (type: string, payload: string): Uint8Array =>
  awsFrame({ ':message-type': 'event', ':event-type': type }, payload);

/** A message of the encoding's published test suite: one text header and a payload. */
const DOCUMENTED = Uint8Array.from(
  Buffer.from(
    '0000003d000000200' +
      '7fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e' +
      '7b27666f6f273a27626172277d8d9c08b1',
    'hex',
  ),
);

describe('frames', () => {
  test('a published example, byte for byte', () => {
    const payload = "{'foo':'bar'}";
    expect(decode([DOCUMENTED]).messages).toEqual([{ event: null, data: payload, isStray: false }]);
    expect(awsFrame({ 'content-type': 'application/json' }, payload)).toEqual(DOCUMENTED);
  });

  test('headers of every type are passed over', () => {
    const frame = awsFrame({ ':message-type': 'event', ':event-type': 'chunk' }, '{}');
    // true, byte, short, integer, long, bytes, timestamp, uuid: rebuilt by hand before the headers.
    const odd = Buffer.concat([
      Buffer.from([1, 97, 0]),
      Buffer.from([1, 98, 2, 9]),
      Buffer.from([1, 99, 3, 0, 9]),
      Buffer.from([1, 100, 4, 0, 0, 0, 9]),
      Buffer.from([1, 101, 5, ...Array<number>(8).fill(1)]),
      Buffer.from([1, 102, 6, 0, 2, 7, 7]),
      Buffer.from([1, 103, 8, ...Array<number>(8).fill(1)]),
      Buffer.from([1, 104, 9, ...Array<number>(16).fill(1)]),
    ]);
    const headers = frame.subarray(12, 12 + new DataView(frame.buffer).getUint32(4));
    const { messages, failure } = decode([rebuilt(Buffer.concat([odd, headers]), '{}')]);
    expect(failure).toBeNull();
    expect(messages).toEqual([{ event: 'chunk', data: '{}', isStray: false }]);
  });

  test('exceptions and errors are messages named error', () => {
    const thrown = awsFrame(
      { ':message-type': 'exception', ':exception-type': 'throttlingException' },
      '{"message":"Too many requests"}',
    );
    const failed = awsFrame(
      { ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'boom' },
      '',
    );
    const { messages } = decode([thrown, failed]);
    expect(messages.map((message) => message.event)).toEqual(['error', 'error']);
    expect(messages.map(({ data }) => (JSON.parse(data) as { code: string }).code)).toEqual([
      'throttlingException',
      'InternalError',
    ]);
  });

  test('any changed byte is noticed', () => {
    const frame = event('contentBlockDelta', '{"delta":{"text":"hi"}}');
    for (let at = 0; at < frame.length; at += 1) {
      const bad = frame.slice();
      bad[at] = (bad[at] as number) ^ 1;
      expect(decode([bad]).failure, `byte ${at}`).toBe('protocol');
    }
  });

  test('a frame over its budget, and one that does not end', () => {
    const frame = event('chunk', 'x'.repeat(100));
    expect(decode([frame], frame.length).failure).toBeNull();
    expect(decode([frame.subarray(0, 12)], frame.length - 1).failure).toBe('lineLimit');
    expect(decode([frame.subarray(0, 20)])).toMatchObject({ failure: null, unterminated: true });
  });
});

test('law: frames come back as they were written, however they are cut', () => {
  const message = fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }));
  const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 10 });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), shares, (all, cuts) => {
      const bytes = new Uint8Array(Buffer.concat(all.map(([type, text]) => event(type, text))));
      const expected = all.map(([type, data]) => ({ event: type, data, isStray: false }));
      for (const pieces of [[bytes], piecesOf(bytes, 1), cutAt(bytes, cuts)]) {
        expect(decode(pieces)).toEqual({ messages: expected, failure: null, unterminated: false });
      }
    }),
    { numRuns: 100 },
  );
});

test('law: any bytes are read without a crash, the same however they are cut', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.integer({ min: 1, max: 9 }), (bytes, size) => {
      expect(decode(piecesOf(bytes, size))).toEqual(decode([bytes]));
    }),
    { numRuns: 500 },
  );
});

/** A frame around these header bytes. */
function rebuilt(headers: Buffer, payload: string): Uint8Array {
  const text = '\0'.repeat(headers.length);
  const shell = awsFrame({}, `${text}${payload}`);
  shell.set(headers, 12);
  const view = new DataView(shell.buffer);
  view.setUint32(4, headers.length);
  view.setUint32(8, crc32(shell.subarray(0, 8)));
  view.setUint32(shell.length - 4, crc32(shell.subarray(0, shell.length - 4)));
  return shell;
}

/** The plain bitwise form, so that the sums are checked against other code than our own. */
function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
