import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordOf } from '../../test/support/record-builder.ts';
import { recordLine } from './record-line.ts';
import { OUTPUT_KINDS, type OutputEvents } from './request-record.ts';

/** Numbers where digits are added, halves meet or integers end, and others. */
const NUMBERS = fc.oneof(
  fc.integer({ min: 0, max: 2 }),
  fc.nat(),
  fc.maxSafeNat(),
  fc.constantFrom(
    9,
    10,
    99_999_999,
    1e8,
    1e8 + 1,
    1e12 + 10_000,
    1e15,
    Number.MAX_SAFE_INTEGER,
    -1,
    0.5,
    -0,
    1e21,
  ),
);

const OUTPUT: fc.Arbitrary<OutputEvents> = fc
  .array(
    fc.record({
      atNs: NUMBERS,
      kind: fc.constantFrom(...OUTPUT_KINDS),
      bytes: fc.integer({ min: 0, max: 3 }),
      tokens: fc.option(fc.integer({ min: 1, max: 2 })),
      readId: NUMBERS,
    }),
    { maxLength: 30 },
  )
  .chain((events) =>
    fc.record({ alike: fc.boolean() }).map(({ alike }) => {
      const [first] = events;
      const like = alike && first !== undefined ? events.map(() => first) : events;
      return {
        atNs: events.map(({ atNs }) => atNs),
        kind: like.map(({ kind }) => kind),
        bytes: like.map(({ bytes }) => bytes),
        tokens: like.map(({ tokens }) => tokens),
        readId: events.map(({ readId }) => readId),
      };
    }),
  );

test('a line is what JSON.stringify gives, whatever the answer', () => {
  fc.assert(
    fc.property(OUTPUT, fc.string(), (output, text) => {
      const record = recordOf({ labels: { tenant: `"output":0,${text}` } });
      const { timeline } = record;
      const answered =
        timeline === null ? record : { ...record, timeline: { ...timeline, output } };
      expect(recordLine(answered)).toBe(JSON.stringify(answered));
    }),
    { numRuns: 500 },
  );
});

test('an answer longer than any before it is written whole', () => {
  const count = 5_000;
  const record = recordOf({
    arrivalsNs: Array.from({ length: count }, (_, at) => 1e15 + at * 1_001),
  });
  expect(recordLine(record)).toBe(JSON.stringify(record));
});
