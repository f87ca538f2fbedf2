import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OUTPUT_KINDS, type FinishReason, type OutputKind } from '../../src/record/index.ts';
import {
  DONE_EVENT,
  commentEvent,
  createChatEncoder,
  createCompletionsEncoder,
  errorEvent,
  type OpenAiEncoder,
  type DialectName,
} from '../../src/wire/index.ts';
import { cutAt, readAnswer, utf8 } from '../support/wire-reading.ts';

const head = { id: 'chatcmpl-1', createdSeconds: 1_700_000_000, model: 'a "quoted" model' };
type EncodedDialect = Extract<DialectName, 'chat' | 'completions'>;
const encoders: Readonly<Record<EncodedDialect, OpenAiEncoder>> = {
  chat: createChatEncoder(head),
  completions: createCompletionsEncoder(head),
};
const reasons: readonly FinishReason[] = ['stop', 'length', 'toolCalls', 'contentFilter', 'other'];

const chunk = fc.record({
  kind: fc.constantFrom(...OUTPUT_KINDS),
  text: fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
  tokens: fc.integer({ min: 1, max: 4 }),
});
const answer = fc.record({
  name: fc.constantFrom<EncodedDialect>('chat', 'completions'),
  chunks: fc.array(chunk, { minLength: 1, maxLength: 12 }),
  reason: fc.constantFrom(...reasons),
  perEvent: fc.boolean(),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
});

function kindRead(name: EncodedDialect, kind: OutputKind): OutputKind {
  return name === 'completions' ? 'answer' : kind;
}

describe('what the encoders write, the readers read', () => {
  test('a streamed answer, cut anywhere', () => {
    fc.assert(
      fc.property(answer, ({ name, chunks, reason, perEvent, cuts }) => {
        const encoder = encoders[name];
        const usageAfter = (completionTokens: number) => ({
          promptTokens: 7,
          completionTokens,
          reasoningTokens: null,
          cachedPromptTokens: 3,
        });
        let total = 0;
        const events = chunks.map(({ kind, text, tokens }) => {
          total += tokens;
          return encoder.output(kind, text, perEvent ? usageAfter(total) : null);
        });
        const text = [
          encoder.start(perEvent ? usageAfter(0) : null),
          commentEvent('keep-alive'),
          ...events,
          encoder.finish(reason, null),
          encoder.usage(usageAfter(total)),
          DONE_EVENT,
        ].join('');
        const pieces = cutAt(utf8(text), cuts);
        const reading = readAnswer(
          pieces.map((piece, read) => ({ atMs: read, text: piece })),
          { dialect: name },
        );
        expect(reading).toMatchObject({ failure: null, notes: [], finishReason: reason });
        expect(reading.usage).toEqual(usageAfter(total));
        expect(reading.commentCount).toBe(1);
        expect(reading.output.kind).toEqual(chunks.map(({ kind }) => kindRead(name, kind)));
        expect(reading.output.bytes).toEqual(chunks.map(({ text }) => Buffer.byteLength(text)));
        expect(reading.output.tokens).toEqual(
          chunks.map(({ tokens }) => (perEvent ? tokens : null)),
        );
        const answerText = chunks.filter(({ kind }) => kindRead(name, kind) === 'answer');
        expect(reading.text).toBe(answerText.map(({ text }) => text).join(''));
      }),
      { numRuns: 200 },
    );
  });

  test.each(['chat', 'completions'] as const)('%s: a whole body', (name) => {
    const usage = {
      promptTokens: 7,
      completionTokens: 9,
      reasoningTokens: 4,
      cachedPromptTokens: null,
    };
    const body = encoders[name].body({
      content: { reasoning: 'hm', answer: '42' },
      finishReason: 'stop',
      usage,
    });
    const reading = readAnswer([{ atMs: 1, text: body }], { dialect: name, stream: false });
    expect(reading).toMatchObject({ failure: null, finishReason: 'stop', usage });
    expect(reading.output.kind).toEqual(name === 'chat' ? ['reasoning', 'answer'] : ['answer']);
  });

  test('an error event', () => {
    const text = errorEvent({ message: 'out of memory', type: 'server_error', code: 'oom' });
    const reading = readAnswer([{ atMs: 1, text }]);
    expect(reading.failure).toBe('serverError');
    expect(reading.error).toMatchObject({ code: 'oom', type: 'server_error', evidence: [] });
  });
});
