import { expect, test } from 'vitest';
import { at, readAnswer } from '../../test/support/wire-reading.ts';

/** Without the blank after the colon, as the server writes it. */
const token = (text: string, more: object = {}): string =>
  `data:${JSON.stringify({ token: { id: 7, text, special: false }, generated_text: null, ...more })}\n\n`;
const details = { finish_reason: 'eos_token', generated_tokens: 4, input_length: 12 };
const LAST = `data:${JSON.stringify({
  token: { id: 2, text: '</s>', special: true },
  generated_text: 'po ng',
  details,
})}\n\n`;

test('one event is one token; the end token and the repeated text are no output', () => {
  const reading = readAnswer(
    [at(10, token('po')), at(20, token(' ')), at(30, token('ng')), at(40, LAST)],
    { dialect: 'tgi' },
  );
  expect(reading.output.tokens).toEqual([1, 1, 1]);
  expect(reading).toMatchObject({ text: 'po ng', failure: null, finishReason: 'stop', notes: [] });
  expect(reading.usage).toMatchObject({ promptTokens: 12, completionTokens: 4 });
  expect(reading.terminalNs).toBe(40_000_000);
});

test('vllm#5708: half a character is a token, counted where its text appears', () => {
  const { output } = readAnswer([at(1, token('')), at(2, token('é')), at(3, LAST)], {
    dialect: 'tgi',
  });
  expect(output.readId).toEqual([1]);
  expect(output.tokens).toEqual([2]);
});

test('an error inside the stream, and a stream that stops', () => {
  const error = 'data:{"error":"Request failed during generation","error_type":"generation"}\n\n';
  expect(readAnswer([at(1, token('x'), error)], { dialect: 'tgi' }).failure).toBe('serverError');
  expect(readAnswer([at(1, token('x'))], { dialect: 'tgi' }).failure).toBe('truncated');
});

test('one body', () => {
  const body = JSON.stringify({ generated_text: 'pong', details });
  const reading = readAnswer([at(1, body)], { dialect: 'tgi', stream: false });
  expect(reading).toMatchObject({ text: 'pong', failure: null, finishReason: 'stop' });
  expect(reading.usage?.completionTokens).toBe(4);
});
