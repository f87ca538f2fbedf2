import { expect, test } from 'vitest';
import { at, readAnswer } from '../../test/support/wire-reading.ts';

const line = (value: object): string => `${JSON.stringify({ model: 'm', ...value })}\n`;
const content = (text: string): string => line({ message: { content: text }, done: false });
const done = (more: object = {}): string =>
  line({
    message: { content: '' },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 18,
    eval_count: 2,
    ...more,
  });

test('chat: a line for each chunk, counts and reason in the last', () => {
  const reading = readAnswer([at(10, content('po')), at(20, content('ng')), at(30, done())], {
    dialect: 'ollama-chat',
  });
  expect(reading.output.atNs).toEqual([10_000_000, 20_000_000]);
  expect(reading).toMatchObject({ text: 'pong', failure: null, finishReason: 'stop', notes: [] });
  expect(reading.usage).toMatchObject({ promptTokens: 18, completionTokens: 2 });
  expect(reading.terminalNs).toBe(30_000_000);
});

test('thinking, and tool calls that come whole', () => {
  const call = { function: { name: 'f', arguments: { a: 1 } } };
  const reading = readAnswer(
    [
      at(1, line({ message: { content: '', thinking: 'hm' }, done: false })),
      at(2, line({ message: { content: '', tool_calls: [call] }, done: false })),
      at(3, done()),
    ],
    { dialect: 'ollama-chat' },
  );
  expect(reading.output.kind).toEqual(['reasoning', 'toolCall']);
  expect(reading.output.bytes).toEqual([2, 8]);
});

test('generate: the text is in response; a last line without line end counts', () => {
  const reading = readAnswer(
    [at(1, line({ response: 'hi', done: false })), at(2, done({ done_reason: 'length' }).trim())],
    { dialect: 'ollama-generate' },
  );
  expect(reading).toMatchObject({ text: 'hi', failure: null, finishReason: 'length' });
});

test('a prompt served from the cache has no count: unknown, not 0', () => {
  const { usage } = readAnswer([at(1, content('x'), done({ prompt_eval_count: undefined }))], {
    dialect: 'ollama-chat',
  });
  expect(usage).toMatchObject({ promptTokens: null, completionTokens: 2 });
});

test('an error line ends it; a stream that stops is truncated', () => {
  const error = '{"error":"model runner has stopped"}\n';
  const failed = readAnswer([at(1, content('x')), at(2, error)], {
    dialect: 'ollama-chat',
    end: 'open',
  });
  expect(failed.failure).toBe('serverError');
  expect(readAnswer([at(1, content('x'))], { dialect: 'ollama-chat' }).failure).toBe('truncated');
  const noise = readAnswer([at(1, content('x'), 'oops\n')], { dialect: 'ollama-chat' });
  expect(noise.failure).toBe('json');
});

test('one body', () => {
  const reading = readAnswer([at(1, done({ message: { content: 'hi' } }))], {
    dialect: 'ollama-chat',
    stream: false,
  });
  expect(reading).toMatchObject({ text: 'hi', failure: null, finishReason: 'stop' });
});
