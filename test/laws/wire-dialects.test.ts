/** What holds for every dialect: answers read back, cuts unseen, no bytes fatal, text inert. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DIALECT_NAMES, type AnswerReading } from '../../src/wire/index.ts';
import { DIALECT_STREAMS } from '../support/dialect-streams.ts';
import {
  cutAt,
  piecesOf,
  readAnswer,
  readerFor,
  type ReadAnswerOptions,
} from '../support/wire-reading.ts';

const RUNS = 60;
const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });

/** Escape sequences, markup, end marks and fields of SSE, prototypes: all are only text. */
const HOSTILE = [
  '\u001b[2J\u001b]0;owned\u0007',
  '<script>alert(1)</script>',
  '\n\ndata: [DONE]\n\n',
  '[DONE]',
  'event: error\ndata: {"error":"x"}',
  '{"error":{"message":"x"}}',
  '__proto__',
  '\u2028\u2029\u0085\ufeff\u202e',
  '\u0000',
  '${jndi:ldap://h}',
  "'; DROP TABLE records; --",
];
const text = fc.oneof(
  { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }) },
  { weight: 1, arbitrary: fc.constantFrom(...HOSTILE) },
);
const anyTexts = fc.array(text, { minLength: 1, maxLength: 8 });
/** Lines of SSE: whichever way they ended, they are read as ended by LF. */
const lines = anyTexts.map((all) => all.map((each) => each.replaceAll('\r', '\n')));

function read(pieces: readonly Uint8Array[], options: ReadAnswerOptions): AnswerReading {
  return readAnswer(
    pieces.map((piece) => ({ atMs: 1, text: piece })),
    options,
  );
}

/** As a transport that reads into the same memory again and again hands the pieces over. */
function readReused(pieces: readonly Uint8Array[], options: ReadAnswerOptions): AnswerReading {
  const memory = Buffer.alloc(Math.max(1, ...pieces.map((piece) => piece.length)));
  const reader = readerFor(options);
  for (const [readId, piece] of pieces.entries()) {
    memory.set(piece);
    reader.push(memory.subarray(0, piece.length), 1_000_000, readId);
    memory.fill(0x7d);
  }
  reader.end('complete');
  return reader.reading;
}

/** All but the number of the read, which follows the cuts. */
function outcome(
  pieces: readonly Uint8Array[],
  options: ReadAnswerOptions,
  how: typeof read = read,
): unknown {
  const reading = how(pieces, options);
  return { ...reading, output: { ...reading.output, readId: null } };
}

describe.each(DIALECT_NAMES)('%s', (dialect) => {
  const write = DIALECT_STREAMS[dialect];
  const isPlain = dialect === 'replicate';
  const texts = isPlain ? lines : anyTexts;

  test('an answer is read back, whatever its text and however it is cut', () => {
    fc.assert(
      fc.property(texts, shares, (all, cuts) => {
        const bytes = write(all);
        const reading = read(cutAt(bytes, cuts), { dialect });
        expect(reading).toMatchObject({
          failure: null,
          notes: [],
          finishReason: 'stop',
          text: all.join(''),
        });
        const told = { promptTokens: 7, completionTokens: all.length };
        if (isPlain) expect(reading.usage).toBeNull();
        else expect(reading.usage).toMatchObject(told);
        expect(reading.output.bytes).toEqual(all.map((part) => Buffer.byteLength(part)));
        expect(new Set(reading.output.kind)).toEqual(new Set(['answer']));
      }),
      { numRuns: RUNS },
    );
  });

  test('no text of an answer is in what a record keeps', () => {
    for (const canary of HOSTILE) {
      const reading = read([write([canary, 'x'])], { dialect, keepText: false });
      expect(reading.text).toBeNull();
      expect(JSON.stringify(reading)).not.toContain(JSON.stringify(canary).slice(1, -1));
    }
  });

  test('a stream cut short is truncated or was done, and never grows by the cut', () => {
    fc.assert(
      fc.property(texts, fc.double({ min: 0, max: 1, noNaN: true }), (all, share) => {
        const bytes = write(all);
        const part = bytes.subarray(0, Math.floor(share * bytes.length));
        const { failure, text: seen, finishReason } = read([part], { dialect, end: 'cut' });
        expect(all.join('').startsWith(seen ?? '')).toBe(true);
        if (failure === null) expect(finishReason).not.toBeNull();
        else expect(failure).toBe('truncated');
      }),
      { numRuns: RUNS },
    );
  });

  const damaged = fc
    .tuple(texts, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 4 }))
    .map(([all, changes]) => {
      const bytes = write(all).slice();
      for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
      return bytes;
    });
  const noise = fc.uint8Array({ maxLength: 60 });
  const spliced = fc.tuple(damaged, noise, damaged).map((parts) => Buffer.concat(parts));

  test('damaged, spliced and arbitrary bytes never crash it, and no cut can be told', () => {
    fc.assert(
      fc.property(
        fc.oneof(damaged, spliced, noise),
        shares,
        fc.boolean(),
        (bytes, cuts, stream) => {
          const whole = outcome([bytes], { dialect, stream });
          expect(outcome(cutAt(bytes, cuts), { dialect, stream })).toEqual(whole);
          expect(outcome(piecesOf(bytes, 1), { dialect, stream })).toEqual(whole);
          const reused = outcome(cutAt(bytes, cuts), { dialect, stream }, readReused);
          expect(reused).toEqual(whole);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('JSON of any shape never crashes it', () => {
    const keys = [...new Set(new TextDecoder().decode(write(['x'])).match(/"\w+"/g))].map((key) =>
      key.slice(1, -1),
    );
    const shaped = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, 1, -1, 1e300, '', 'x'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys, 'error', '__proto__'), tie('value'), { maxKeys: 5 }),
      ),
    })).value;
    fc.assert(
      fc.property(shaped, (value) => {
        const json = JSON.stringify(value);
        const sequence = Buffer.from(`${json}\n`);
        const events = Buffer.from(`data: ${json}\n\n`);
        for (const bytes of [sequence, events]) read([bytes], { dialect });
        read([sequence], { dialect, stream: false });
      }),
      { numRuns: RUNS * 2 },
    );
  });

  test('after the end nothing changes any more', () => {
    const reader = readerFor({ dialect });
    const bytes = write(['a', 'b']);
    reader.push(bytes, 1, 0);
    if (reader.state !== 'ended') return;
    const before = JSON.stringify(reader.reading);
    reader.push(bytes, 2, 1);
    reader.push(Uint8Array.of(0xff), 3, 2);
    expect(JSON.stringify(reader.reading)).toBe(before);
  });
});
