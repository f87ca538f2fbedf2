import { expect, test } from 'vitest';
import { at, readAnswer, sse } from '../../test/support/wire-reading.ts';

const result = (text: string, count: number, more: object = {}): object => ({
  results: [
    {
      generated_text: text,
      generated_token_count: count,
      input_token_count: 0,
      stop_reason: 'not_finished',
      ...more,
    },
  ],
});
const event = (...parts: Parameters<typeof result>): string =>
  `id: 1\n${sse.named('message', result(...parts))}`;

test('running counts in every event; the prompt is told once', () => {
  const reading = readAnswer(
    [
      at(10, event('', 0, { input_token_count: 8 })),
      at(20, event('po', 1)),
      at(30, event('ng', 3)),
      at(40, event('', 4, { stop_reason: 'eos_token' })),
    ],
    { dialect: 'watsonx' },
  );
  expect(reading.output.tokens).toEqual([1, 2]);
  expect(reading.usage).toMatchObject({ promptTokens: 8, completionTokens: 4 });
  expect(reading).toMatchObject({ text: 'pong', failure: null, finishReason: 'stop', notes: [] });
});

test('errors in their own list, or as a stop reason', () => {
  const errors = sse.json({ errors: [{ code: 'downstream_request_failed', message: 'x' }] });
  expect(readAnswer([at(1, event('x', 1), errors)], { dialect: 'watsonx' })).toMatchObject({
    failure: 'serverError',
    error: { code: 'downstream_request_failed' },
  });
  const stopped = event('x', 1, { stop_reason: 'error' });
  expect(readAnswer([at(1, stopped)], { dialect: 'watsonx' }).failure).toBe('serverError');
});

test('one body', () => {
  const body = JSON.stringify(result('pong', 2, { stop_reason: 'max_tokens' }));
  const reading = readAnswer([at(1, body)], { dialect: 'watsonx', stream: false });
  expect(reading).toMatchObject({ text: 'pong', failure: null, finishReason: 'length' });
});
