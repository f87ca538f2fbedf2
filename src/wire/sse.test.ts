import * as fc from 'fast-check';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { describe, expect, test } from 'vitest';
import { cutAt, decode, piecesOf, utf8 } from '../../test/support/wire-reading.ts';

const BOM = Uint8Array.of(0xef, 0xbb, 0xbf);
const dataOf = (text: string): string[] => decode([utf8(text)]).events.map((event) => event.data);
const joined = (...parts: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(Buffer.concat(parts));

describe('bug reports, section 4: reading events', () => {
  test('eventsource-parser#17: CR at the end of one piece and LF in the next are one line end', () => {
    const pieces = ['data: A\r\n', 'data: B\r', '\ndata: C\r\n\r\n'].map(utf8);
    expect(decode(pieces).events.map((event) => event.data)).toEqual(['A\nB\nC']);
  });

  test('eventsource-parser#41: an empty first piece, then a byte order mark', () => {
    const pieces = [utf8(''), BOM, utf8('data: A\n\n')];
    expect(decode(pieces).events.map((event) => event.data)).toEqual(['A']);
  });

  test('eventsource-parser#31: two data lines without a blank line are one event', () => {
    expect(dataOf('data: {"a":1}\ndata: {"b":2}\n\n')).toEqual(['{"a":1}\n{"b":2}']);
  });

  test('llmgateway#2334: nothing is dispatched without data', () => {
    expect(dataOf('id: 1\n\n: ping\n\n')).toEqual([]);
    expect(dataOf('event: ping\n\n')).toEqual([]);
  });

  test('openai 6.49.0: an empty data field is an event with empty data', () => {
    expect(dataOf('data:\n\n')).toEqual(['']);
    expect(dataOf('data\n\n')).toEqual(['']);
  });

  test('openai-ruby#623: the byte order mark is not part of the first field', () => {
    const bytes = joined(BOM, utf8('data: A\n\n'));
    for (const size of [1, 2, 3, bytes.length]) {
      expect(decode(piecesOf(bytes, size)).events.map((event) => event.data)).toEqual(['A']);
    }
  });

  test('a byte order mark later in the stream, or half of one, is content', () => {
    expect(dataOf('data: \ufeffA\n\n')).toEqual(['\ufeffA']);
    const twice = joined(BOM, BOM, utf8('data: A\n\n'));
    expect(decode([twice]).events).toEqual([]);
    const half = decode(piecesOf(joined(BOM.subarray(0, 2), utf8('data: A\n\n')), 1));
    expect(half.decoder.failure).toBe('utf8');
  });

  test('lobehub#18640: a character cut between pieces is not replaced', () => {
    const pieces = piecesOf(utf8('data: é🌍\n\n'), 1);
    expect(decode(pieces).events.map((event) => event.data)).toEqual(['é🌍']);
  });

  test('odysseus#1701: the blank after the colon is optional, and only one is removed', () => {
    expect(dataOf('data:A\n\ndata:  A\n\n')).toEqual(['A', ' A']);
  });

  test('evalscope#1474: id and event beside the data', () => {
    expect(decode([utf8('id: x\nevent: note\ndata: A\n\ndata: B\n\n')]).events).toEqual([
      { id: 'x', event: 'note', data: 'A', isStray: false },
      { id: null, event: null, data: 'B', isStray: false },
    ]);
  });

  test('milady#1653: data lines are joined with LF', () => {
    expect(dataOf('data: {"a":\ndata: 1}\n\n')).toEqual(['{"a":\n1}']);
  });

  test('neurow#60: three events in one piece, one event in three', () => {
    expect(dataOf('data: A\n\ndata: B\n\ndata: C\n\n')).toEqual(['A', 'B', 'C']);
    const pieces = ['da', 'ta: A', '\n\n'].map(utf8);
    expect(decode(pieces).events.map((event) => event.data)).toEqual(['A']);
  });

  test('langchain#569: comments are counted and dropped', () => {
    const { events, decoder } = decode([utf8(': keep-alive\n\n:\ndata: A\n\n')]);
    expect(events.map((event) => event.data)).toEqual(['A']);
    expect(decoder.commentCount).toBe(2);
  });

  test('an event without its blank line is not delivered, and noticed', () => {
    for (const text of ['data: A\n', 'data: A']) {
      const { events, decoder } = decode([utf8(text)]);
      expect(events).toEqual([]);
      expect(decoder.unterminated).toBe(true);
    }
    expect(decode([utf8('data: A\n\n')]).decoder.unterminated).toBe(false);
  });
});

test('line separators of Unicode are ordinary characters', () => {
  expect(dataOf('data: a\u2028b\u2029c\u0085d\n\n')).toEqual(['a\u2028b\u2029c\u0085d']);
});

test('CR, LF and CRLF end a line in any mix', () => {
  expect(dataOf('data: A\r\rdata: B\n\ndata: C\r\n\r\ndata: D\r\n\rdata: E\n\r\n')).toEqual([
    'A',
    'B',
    'C',
    'D',
    'E',
  ]);
});

test('retry takes digits only; an id with NUL is ignored', () => {
  const { events, decoder } = decode([utf8('retry: 250\nretry: 1s\nid: a\0b\ndata: A\n\n')]);
  expect(decoder.retryMs).toBe(250);
  expect(events[0]?.id).toBeNull();
});

test('invalid UTF-8 is a failure, in data, comment and unfinished line alike', () => {
  const bad = Uint8Array.of(0xc3, 0x28);
  for (const [before, after] of [
    ['data: ', '\n\n'],
    [': ', '\n'],
    ['x', '\n'],
    ['data: ', ''],
  ] as const) {
    expect(decode([joined(utf8(before), bad, utf8(after))]).decoder.failure).toBe('utf8');
  }
  const good = decode([joined(utf8('data: A\n\ndata: '), bad, utf8('\n\n'))]);
  expect(good.events.map((event) => event.data)).toEqual(['A']);
});

test('a line, or the data of one event, over its budget is a failure', () => {
  expect(decode([utf8(`data: ${'x'.repeat(14)}\n\n`)], 20).decoder.failure).toBeNull();
  expect(decode([utf8(`data: ${'x'.repeat(15)}\n\n`)], 20).decoder.failure).toBe('lineLimit');
  expect(decode([utf8('x'.repeat(21))], 20).decoder.failure).toBe('lineLimit');
  expect(decode([utf8('data: 3456\ndata: 90\n\n')], 20).decoder.failure).toBeNull();
  expect(decode([utf8('data: 3456\ndata: 901\ndata: 1\n\n')], 20).decoder.failure).toBe(
    'lineLimit',
  );
});

test('a JSON object without framing is handed over as such, wherever it stands', () => {
  const body = '{\n  "error": {\n    "message": "boom"\n  }\n}';
  for (const text of [body, `${body}\n`, `data: A\n\n${body}\ndata: B\n\n`]) {
    const stray = decode([utf8(text)]).events.filter(({ isStray }) => isStray);
    expect(stray.map(({ data }) => JSON.parse(data))).toEqual([{ error: { message: 'boom' } }]);
  }
  const line = decode([utf8('error: {"message":"boom"}\n\n')]);
  expect(line.events).toEqual([]);
  expect(line.decoder.unknownFieldCount).toBe(1);
});

const fieldLine = fc.oneof(
  fc
    .constantFrom('data', 'event', 'id', 'retry', 'error', 'dat', 'datas', '', ' data', '{"a"')
    .chain((name) =>
      fc
        .tuple(
          fc.constantFrom(':', ': ', ':  ', ''),
          fc.string({ unit: 'grapheme', maxLength: 12 }),
        )
        .map(([colon, value]) => `${name}${colon}${value.replaceAll(/[\r\n]/g, '')}`),
    ),
  fc.constantFrom('', '', '', 'data: {"x":1}', 'data:', ': note', 'data: a\u2028b\u0085'),
);
const lines = fc.array(fc.tuple(fieldLine, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 30 });
const stream = fc
  .tuple(fc.boolean(), lines)
  .map(([mark, all]) => utf8(`${mark ? '\ufeff' : ''}${all.flat().join('')}`));

/** Everything observable of one decoding. */
function outcome(pieces: readonly Uint8Array[], lineBytes?: number): unknown {
  const { events, decoder } = decode(pieces, lineBytes);
  const { failure, commentCount, retryMs, unknownFieldCount, unterminated } = decoder;
  return { events, failure, commentCount, retryMs, unknownFieldCount, unterminated };
}

describe('laws', () => {
  test('the result is the same for every way to cut the bytes', () => {
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
    fc.assert(
      fc.property(stream, shares, fc.constantFrom(1_000_000, 24), (bytes, cuts, lineBytes) => {
        const whole = outcome([bytes], lineBytes);
        expect(outcome(cutAt(bytes, cuts), lineBytes)).toEqual(whole);
        expect(outcome(piecesOf(bytes, 1), lineBytes)).toEqual(whole);
      }),
      { numRuns: 400 },
    );
  });

  test('any bytes at all are read without a crash, the same however they are cut', () => {
    const noise = fc.uint8Array({ maxLength: 60 });
    const eventful = fc
      .array(fc.constantFrom(10, 13, 58, 32, 100, 97, 116, 0xef, 0xbb, 0xbf, 0xc3, 0xa9, 123), {
        maxLength: 60,
      })
      .map((bytes) => Uint8Array.from(bytes));
    fc.assert(
      fc.property(fc.oneof(noise, eventful), fc.integer({ min: 1, max: 7 }), (bytes, size) => {
        expect(outcome(piecesOf(bytes, size))).toEqual(outcome([bytes]));
      }),
      { numRuns: 1_000 },
    );
  });

  test('eventsource-parser reads the same events', () => {
    fc.assert(
      fc.property(stream, (bytes) => {
        // The other parser waits for more after a last CR; a blank line settles it.
        const text = `${new TextDecoder().decode(bytes)}\n\n`;
        const seen: EventSourceMessage[] = [];
        let comments = 0;
        const parser = createParser({
          onEvent: (event) => seen.push(event),
          onComment: () => {
            comments += 1;
          },
        });
        parser.feed(text);
        const { events, decoder } = decode([bytes, utf8('\n\n')]);
        const framed = events.filter(({ isStray }) => !isStray);
        expect(framed.map(({ event, id, data }) => ({ event, id, data }))).toEqual(
          seen.map(({ event, id, data }) => ({ event: event ?? null, id: id ?? null, data })),
        );
        expect(decoder.commentCount).toBe(comments);
      }),
      { numRuns: 400 },
    );
  });
});
