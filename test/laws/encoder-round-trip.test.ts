/** What the server's side of every other dialect writes, its reader reads back. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OutputKind } from '../../src/record/index.ts';
import { SERVED_DIALECTS } from '../../src/wire/index.ts';
import { cutAt, readAnswer, utf8 } from '../support/wire-reading.ts';

const head = {
  id: 'a1',
  createdSeconds: 1_700_000_000,
  createdIso: '2023-11-14T22:13:20.000Z',
  model: 'a "quoted" model',
  promptTokens: 7,
};

/** The kinds each dialect tells apart; what it has no word for comes as the answer. */
const KINDS = {
  responses: ['answer', 'reasoning', 'refusal', 'toolCall'],
  anthropic: ['answer', 'reasoning', 'toolCall'],
  'ollama-chat': ['answer', 'reasoning'],
  'ollama-generate': ['answer', 'reasoning'],
} as const satisfies Readonly<Record<string, readonly OutputKind[]>>;

const NAMES = Object.keys(KINDS) as readonly (keyof typeof KINDS)[];

const usage = {
  promptTokens: 7,
  completionTokens: 9,
  reasoningTokens: null,
  cachedPromptTokens: null,
};

describe.each(NAMES)('%s', (name) => {
  const served = SERVED_DIALECTS[name];

  test('a streamed answer, cut anywhere', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            kind: fc.constantFrom<OutputKind>(...KINDS[name]),
            text: fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
          }),
          { minLength: 1, maxLength: 8 },
        ),
        fc.constantFrom('stop' as const, 'length' as const),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
        (chunks, finishReason, cuts) => {
          const encoder = served.createEncoder(head);
          const opening = encoder.open() + encoder.start(null);
          const events = chunks.map(({ kind, text }) => encoder.output(kind, text, null));
          const end = encoder.end({ finishReason, runningUsage: null, usage });
          const bytes = utf8(opening + events.join('') + end.finish + end.rest);
          const reading = readAnswer(
            cutAt(bytes, cuts).map((text, read) => ({ atMs: read, text })),
            { dialect: name },
          );
          expect(reading).toMatchObject({ failure: null, notes: [], finishReason, usage });
          expect(reading.terminalNs).not.toBeNull();
          expect(reading.output.kind).toEqual(chunks.map(({ kind }) => kind));
          expect(reading.output.bytes).toEqual(chunks.map(({ text }) => Buffer.byteLength(text)));
        },
      ),
      { numRuns: 100 },
    );
  });

  test('a whole body', () => {
    const body = served.createEncoder(head).body({
      content: { reasoning: 'hm', answer: '42' },
      finishReason: 'length',
      usage,
    });
    const reading = readAnswer([{ atMs: 1, text: body }], { dialect: name, stream: false });
    expect(reading).toMatchObject({ failure: null, finishReason: 'length', usage, text: '42' });
    expect(reading.output.kind).toEqual(['reasoning', 'answer']);
  });

  test('an error inside the stream', () => {
    const encoder = served.createEncoder(head);
    const error = { message: 'rate limit reached', type: 'server_error', code: null };
    const text = encoder.open() + encoder.output('answer', 'a', null) + encoder.errorEvent(error);
    const reading = readAnswer([{ atMs: 1, text }], { dialect: name });
    expect(reading.failure).toBe('serverError');
    expect(reading.error?.evidence).toEqual(['rateLimit']);
  });
});
