import { describe, expect, test } from 'vitest';
import { at, piecesOf, readAnswer, sse, utf8 } from '../../test/support/wire-reading.ts';
import type { AnswerReading } from './dialect.ts';

const response = (parts: readonly object[], candidate: object = {}, more: object = {}): object => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...candidate }],
  ...more,
});
const usage = (told: object): object => ({ usageMetadata: { promptTokenCount: 70, ...told } });
const read = (...reads: Parameters<typeof readAnswer>[0]): AnswerReading =>
  readAnswer(reads, { dialect: 'gemini' });
const DONE = { finishReason: 'STOP' };

describe('a stream', () => {
  test('google/genai#1204: running totals are taken once, thoughts inside the completion', () => {
    const reading = read(
      at(
        1,
        sse.json(
          response([{ text: 'a' }], {}, usage({ thoughtsTokenCount: 80, candidatesTokenCount: 7 })),
        ),
      ),
      at(
        2,
        sse.json(
          response(
            [{ text: 'b' }],
            DONE,
            usage({ thoughtsTokenCount: 80, candidatesTokenCount: 19 }),
          ),
        ),
      ),
    );
    expect(reading.usage).toEqual({
      promptTokens: 70,
      completionTokens: 99,
      reasoningTokens: 80,
      cachedPromptTokens: null,
    });
    // Hidden thoughts are in no event.
    expect(reading.output.tokens).toEqual([7, 12]);
    expect(reading).toMatchObject({ failure: null, notes: [], finishReason: 'stop' });
  });

  test('shown thoughts are reasoning; the first answer is the first part without them', () => {
    const reading = read(
      at(1, sse.json(response([{ text: 'hm', thought: true }]))),
      at(2, sse.json(response([{ text: '42' }], DONE))),
    );
    expect(reading.output.kind).toEqual(['reasoning', 'answer']);
    expect(reading.text).toBe('42');
  });

  test('function calls and code to run are generated, results of code are not', () => {
    const reading = read(
      at(1, sse.json(response([{ executableCode: { code: 'print(1)' } }]))),
      at(2, sse.json(response([{ codeExecutionResult: { output: '1' } }]))),
      at(3, sse.json(response([{ functionCall: { name: 'f', args: { a: 1 } } }], DONE))),
    );
    expect(reading.output.kind).toEqual(['toolCall', 'toolCall']);
    expect(reading.output.readId).toEqual([0, 2]);
  });

  test('an answer after a finish reason is read; the first reason stands', () => {
    const reading = read(
      at(1, sse.json(response([], { finishReason: 'STOP' }))),
      at(2, sse.json(response([{ text: 'x' }], { finishReason: 'MAX_TOKENS' }))),
    );
    expect(reading).toMatchObject({ text: 'x', finishReason: 'stop', finishNs: 1_000_000 });
  });

  test('a blocked prompt is an empty answer that was filtered', () => {
    const blocked = sse.json({ promptFeedback: { blockReason: 'SAFETY' } });
    expect(read(at(1, blocked))).toMatchObject({ failure: 'empty', finishReason: 'contentFilter' });
  });

  test('a second candidate is refused', () => {
    expect(read(at(1, sse.json(response([{ text: 'x' }], { index: 1 })))).failure).toBe(
      'multipleChoices',
    );
  });

  test('lemonade#2826: a bare error after events is a failure, whatever they said', () => {
    const error = JSON.stringify({ error: { code: 503, status: 'UNAVAILABLE' } }, null, 2);
    const reading = read(at(1, sse.json(response([{ text: 'x' }], DONE))), at(2, `${error}\n`));
    expect(reading).toMatchObject({ failure: 'serverError', error: { type: 'UNAVAILABLE' } });
  });
});

describe('a growing JSON array', () => {
  const array = JSON.stringify([
    response([{ text: 'a' }], {}, usage({ candidatesTokenCount: 1 })),
    response([{ text: 'é}' }], DONE, usage({ candidatesTokenCount: 3 })),
  ]);

  test('is read element by element, however it is cut', () => {
    const bytes = utf8(array);
    for (const size of [1, 3, 64, bytes.length]) {
      const reads = piecesOf(bytes, size).map((piece, atMs) => ({ atMs, text: piece }));
      expect(read(...reads)).toMatchObject({ text: 'aé}', failure: null, finishReason: 'stop' });
    }
  });

  test('elements in two reads have two stamps', () => {
    const half = array.indexOf(',{"candidates');
    const { output } = read(at(10, array.slice(0, half)), at(20, array.slice(half)));
    expect(output.atNs).toEqual([10_000_000, 20_000_000]);
    expect(output.tokens).toEqual([1, 2]);
  });

  test('cut before a finish reason it is truncated; an error in it is a failure', () => {
    expect(read(at(1, '[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}')).failure).toBe(
      'truncated',
    );
    expect(read(at(1, '[{"error":{"code":429,"message":"quota"}}]'))).toMatchObject({
      failure: 'serverError',
      error: { evidence: ['quota'] },
    });
  });
});

test('one body', () => {
  const body = response(
    [{ text: 'hi' }],
    DONE,
    usage({ candidatesTokenCount: 2, cachedContentTokenCount: 64 }),
  );
  const reading = readAnswer([at(3, JSON.stringify(body))], { dialect: 'gemini', stream: false });
  expect(reading).toMatchObject({ text: 'hi', failure: null, finishReason: 'stop' });
  expect(reading.usage).toMatchObject({ completionTokens: 2, cachedPromptTokens: 64 });
});
