import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutAt, piecesOf, utf8 } from '../../test/support/wire-reading.ts';
import { JsonSequenceDecoder } from './json-sequence.ts';

interface Outcome {
  readonly values: readonly unknown[];
  readonly failure: string | null;
  readonly unterminated: boolean;
}

function decode(pieces: readonly Uint8Array[], lineBytes = 1_000_000): Outcome {
  const decoder = new JsonSequenceDecoder({ lineBytes });
  const values: string[] = [];
  for (const piece of pieces) decoder.push(piece, ({ data }) => values.push(data) > 0);
  const { failure, unterminated } = decoder;
  return { values, failure, unterminated };
}

const of = (text: string, lineBytes?: number): Outcome => decode([utf8(text)], lineBytes);

describe('a sequence of JSON values', () => {
  test('one a line; the last needs no line end', () => {
    expect(of('{"a":1}\n{"b":"}"}\r\n\n{"c":[{}]}')).toEqual({
      values: ['{"a":1}', '{"b":"}"}', '{"c":[{}]}'],
      failure: null,
      unterminated: false,
    });
  });

  test('the elements of one array, as they come', () => {
    expect(of('[{"a":1}\n,\r\n{"b":2}]\n').values).toEqual(['{"a":1}', '{"b":2}']);
    expect(of('[{"a":1},{"b"').unterminated).toBe(true);
    expect(of('[{"a":1}').unterminated).toBe(true);
    expect(of('[]').unterminated).toBe(false);
  });

  test('quotes and backslashes in strings', () => {
    const value = { text: '"}]\\', more: '\\\\"{' };
    expect(of(`${JSON.stringify(value)}\n`).values).toEqual([JSON.stringify(value)]);
  });

  test.each(['data: x', '5', 'null', '{} x', '[1]', '[{}] {}', ',{}', '{},{}', ']'])(
    '%j is no such sequence',
    (text) => {
      expect(of(text).failure).toBe('json');
    },
  );

  test('what came before a failure stands, and nothing behind it is read', () => {
    expect(of('{"a":1}\nx\n{"b":2}\n').values).toEqual(['{"a":1}']);
  });

  test('invalid UTF-8 and a value over its budget fail by name', () => {
    expect(decode([Uint8Array.of(123, 34, 0xff, 34, 125)]).failure).toBe('utf8');
    expect(of(`{"a":"${'x'.repeat(12)}"}`, 20).failure).toBeNull();
    expect(of(`{"a":"${'x'.repeat(13)}"}`, 20).failure).toBe('lineLimit');
    expect(of(`{"a":"${'x'.repeat(30)}`, 20).failure).toBe('lineLimit');
    expect(of(`${'\n'.repeat(100)}{}`, 20).failure).toBeNull();
  });
});

test('law: the values of any objects, however they are spaced and cut', () => {
  const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());
  const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 10 });
  fc.assert(
    fc.property(fc.array(object, { maxLength: 6 }), fc.boolean(), shares, (all, asArray, cuts) => {
      const parts = all.map((value) => JSON.stringify(value));
      const bytes = utf8(asArray ? `[${parts.join(' ,\n')}]` : parts.join('\n'));
      for (const pieces of [[bytes], piecesOf(bytes, 1), cutAt(bytes, cuts)]) {
        expect(decode(pieces)).toEqual({ values: parts, failure: null, unterminated: false });
      }
    }),
    { numRuns: 200 },
  );
});
