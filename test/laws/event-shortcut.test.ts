/** Events read by their likeness give the readings of events that are parsed, whatever is sent. */
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DIALECT_NAMES, type AnswerReading, type DialectName } from '../../src/wire/index.ts';
import { DIALECT_STREAMS } from '../support/dialect-streams.ts';
import { NO_SHARED_DATA, sharedData } from '../support/shared-data.ts';
import { readerFor, utf8 } from '../support/wire-reading.ts';

/** Whole events at a time: after the first few, the like ones are not parsed. */
function readByEvent(dialect: DialectName, events: readonly Uint8Array[]): AnswerReading {
  return read(
    dialect,
    events.map((event) => [event]),
  );
}

/** The same events at the same instants, each in two pieces, so that the decoder sees all of them. */
function readParsed(dialect: DialectName, events: readonly Uint8Array[]): AnswerReading {
  return read(
    dialect,
    events.map((event) => [event.subarray(0, 1), event.subarray(1)]),
  );
}

function read(dialect: DialectName, events: readonly (readonly Uint8Array[])[]): AnswerReading {
  const reader = readerFor({ dialect });
  for (const [at, pieces] of events.entries()) {
    for (const piece of pieces) reader.push(piece, at * 1_000, at);
  }
  reader.end('complete');
  return reader.reading;
}

/** Bytes cut behind each blank line, or each line where there is none. */
function eventsOf(bytes: Uint8Array): Uint8Array[] {
  const text = Buffer.from(bytes).toString('latin1');
  const parts = text.match(/[^]*?(?:\r?\n\r?\n|$)/g) ?? [];
  const events = parts.length > 2 ? parts : (text.match(/[^\n]*(?:\n|$)/g) ?? []);
  return events.filter((part) => part !== '').map((part) => Buffer.from(part, 'latin1'));
}

const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 24 }),
  fc.constantFrom('\n', '"', '\\', '\n\ndata: [DONE]\n\n', '__proto__', '\u2028', '', '[DONE]'),
);
const texts = fc.array(text, { minLength: 4, maxLength: 12 });

test.each(DIALECT_NAMES)('%s: any texts', (dialect) => {
  fc.assert(
    fc.property(texts, (answer) => {
      const events = eventsOf(DIALECT_STREAMS[dialect](answer));
      expect(readByEvent(dialect, events)).toEqual(readParsed(dialect, events));
    }),
    { numRuns: 40 },
  );
});

/** JSON with the fields that readers look for, and any others. */
const KEYS = ['choices', 'delta', 'content', 'index', 'finish_reason', 'usage', 'error', 'text'];
const key = fc.oneof(fc.constantFrom(...KEYS), fc.string({ maxLength: 3 }));
const number = fc.oneof(fc.nat(), fc.double(), fc.constantFrom(1e21, -0, 0.5));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.oneof(text, number, fc.constantFrom(null, true, false)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
}));

/** The same chunk with a few values changed from event to event, and now and then a broken byte. */
const likeEvents = fc
  .tuple(
    fc.dictionary(key, value, { maxKeys: 3 }),
    fc.array(fc.tuple(text, fc.nat(), fc.option(fc.tuple(fc.nat(), fc.nat(255)), { freq: 4 })), {
      minLength: 4,
      maxLength: 12,
    }),
    fc.constantFrom('data: ', 'data: ', 'data:', 'data:  ', 'data:\t'),
    fc.constantFrom('\n\n', '\r\n\r\n', '\n\n: ping\n\n', '\r\r', '\nid: 1\n\n'),
  )
  .map(([more, rounds, lineStart, lineEnd]) =>
    rounds.map(([content, tokens, broken]) => {
      const chunk = {
        ...more,
        choices: [{ index: 0, delta: { content }, finish_reason: null }],
        usage: { completion_tokens: tokens },
        ...(content.length % 3 === 0 ? more : {}),
      };
      const bytes = utf8(`${lineStart}${JSON.stringify(chunk)}${lineEnd}`);
      if (broken !== null) bytes[broken[0] % bytes.length] = broken[1];
      return bytes;
    }),
  );

test('chat: any chunks, alike but for some values, some of them broken', () => {
  fc.assert(
    fc.property(likeEvents, (events) => {
      expect(readByEvent('chat', events)).toEqual(readParsed('chat', events));
    }),
    { numRuns: 1_500 },
  );
});

const folder = sharedData('streams/');
const DIALECT_OF: Readonly<Record<string, DialectName>> = {
  chat: 'chat',
  responses: 'responses',
  anthropic: 'anthropic',
  gemini: 'gemini',
  cohere1: 'cohere-v1',
  cohere2: 'cohere-v2',
  ollama: 'ollama-chat',
  watsonx: 'watsonx',
};
const recorded =
  folder === null
    ? []
    : (
        JSON.parse(readFileSync(`${folder}expected.json`, 'utf8')) as readonly {
          readonly file: string;
          readonly dialect: string;
        }[]
      ).filter((each) => each.dialect in DIALECT_OF);

if (folder === null) test.skip(`recorded streams (${NO_SHARED_DATA})`);

test.each(recorded)('$file', ({ file, dialect }) => {
  const events = eventsOf(new Uint8Array(readFileSync(`${folder}${file}`)));
  const name = DIALECT_OF[dialect] as DialectName;
  expect(readByEvent(name, events)).toEqual(readParsed(name, events));
});
