import { expect, test } from 'vitest';
import { at, readAnswer, sse } from '../../test/support/wire-reading.ts';

const chunk = (content: string, predicted: number): string =>
  sse.json({ content, stop: false, tokens_predicted: predicted, tokens_evaluated: 0 });
const last = (more: object): string =>
  sse.json({
    content: '',
    stop: true,
    tokens_predicted: 5,
    tokens_evaluated: 60,
    tokens_cached: 64,
    ...more,
  });

test('running totals tell the tokens of each event; what is in the cache afterwards is no hit', () => {
  const reading = readAnswer(
    [
      at(10, chunk('po', 1)),
      at(20, chunk('ng', 4)),
      at(30, last({ stop_type: 'eos', timings: { cache_n: 48 } })),
    ],
    { dialect: 'llamacpp' },
  );
  expect(reading.output.tokens).toEqual([1, 3]);
  expect(reading).toMatchObject({ text: 'pong', failure: null, finishReason: 'stop', notes: [] });
  expect(reading.usage).toEqual({
    promptTokens: 60,
    completionTokens: 5,
    reasoningTokens: null,
    cachedPromptTokens: 48,
  });
});

test.each([
  [{ stop_type: 'limit' }, 'length'],
  [{ stop_type: 'word' }, 'stop'],
  [{ stop_type: 'none' }, null],
  [{ stopped_limit: true }, 'length'],
  [{ stopped_eos: true, stopped_limit: false }, 'stop'],
  [{ stopped_word: true }, 'stop'],
] as const)('%j is %s', (more, reason) => {
  const reading = readAnswer([at(1, chunk('x', 1), last(more))], { dialect: 'llamacpp' });
  expect(reading).toMatchObject({ failure: null, finishReason: reason });
  expect(reading.usage?.cachedPromptTokens).toBeNull();
});

test('an error in a data line, and a stream that stops', () => {
  const error = sse.json({ error: { code: 500, message: 'x', type: 'server_error' } });
  const failed = readAnswer([at(1, chunk('x', 1), error)], { dialect: 'llamacpp' });
  expect(failed).toMatchObject({ failure: 'serverError', error: { type: 'server_error' } });
  expect(readAnswer([at(1, chunk('x', 1))], { dialect: 'llamacpp' }).failure).toBe('truncated');
});

test('one body', () => {
  const body = { content: 'pong', stop: true, stop_type: 'limit', tokens_predicted: 2 };
  const reading = readAnswer([at(1, JSON.stringify(body))], { dialect: 'llamacpp', stream: false });
  expect(reading).toMatchObject({ text: 'pong', failure: null, finishReason: 'length' });
});
