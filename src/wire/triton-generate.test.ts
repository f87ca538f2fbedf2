import { expect, test } from 'vitest';
import { at, readAnswer, sse } from '../../test/support/wire-reading.ts';

const response = (text: string, more: object = {}): string =>
  sse.json({ model_name: 'ensemble', sequence_end: false, text_output: text, ...more });
const told = (tokens: number, reason: string): object => ({
  num_output_tokens: tokens,
  num_input_tokens: 12,
  finish_reason: reason,
});

test('counts of each response are summed, and are the tokens of its event', () => {
  const reading = readAnswer(
    [
      at(10, response(' po', told(1, 'None'))),
      at(20, response('ng', told(3, 'None'))),
      at(30, response('', told(1, 'stop'))),
    ],
    { dialect: 'triton' },
  );
  expect(reading.output.tokens).toEqual([1, 3]);
  expect(reading.usage).toMatchObject({ promptTokens: 12, completionTokens: 5 });
  expect(reading).toMatchObject({ text: ' pong', failure: null, finishReason: 'stop', notes: [] });
});

test('without a finish reason the end of the body must do, and a cut one does not', () => {
  const whole = readAnswer([at(1, response('x'))], { dialect: 'triton' });
  expect(whole).toMatchObject({ failure: null, finishReason: 'other', notes: ['noFinishReason'] });
  expect(whole.usage).toBeNull();
  expect(readAnswer([at(1, response('x'))], { dialect: 'triton', end: 'cut' }).failure).toBe(
    'truncated',
  );
  const half = response('x') + response('y').slice(0, 20);
  expect(readAnswer([at(1, half)], { dialect: 'triton' }).failure).toBe('truncated');
});

test('an error inside the stream', () => {
  const error = sse.json({ error: 'in ensemble: out of memory' });
  expect(readAnswer([at(1, response('x'), error)], { dialect: 'triton' }).failure).toBe(
    'serverError',
  );
});

test('one body, its text in a list; several texts are refused', () => {
  const read = (text_output: unknown): object =>
    readAnswer([at(1, JSON.stringify({ text_output, finish_reason: 'length' }))], {
      dialect: 'triton',
      stream: false,
    });
  expect(read(['pong'])).toMatchObject({ text: 'pong', failure: null, finishReason: 'length' });
  expect(read(['a', 'b'])).toMatchObject({ failure: 'multipleChoices' });
});
