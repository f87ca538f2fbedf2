import { expect, test } from 'vitest';
import { at, readAnswer, sse } from '../../test/support/wire-reading.ts';
import type { AnswerReading } from './dialect.ts';

const event = (type: string, more: object = {}): string => sse.named(type, { type, ...more });
const delta = (what: string, text: string): string =>
  event(`response.${what}.delta`, { delta: text });
const usage = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 8 },
  output_tokens: 25,
  output_tokens_details: { reasoning_tokens: 20 },
};
const over = (status: string, more: object = {}): string =>
  event(`response.${status}`, { response: { status, usage, error: null, ...more } });
const START =
  event('response.created', { response: { status: 'in_progress', usage: null } }) +
  event('response.output_item.added', { item: { type: 'message', content: [] } });

const read = (...reads: Parameters<typeof readAnswer>[0]): AnswerReading =>
  readAnswer(reads, { dialect: 'responses' });

test('output by kind; the events that repeat it are not read', () => {
  const reading = read(
    at(1, START),
    at(2, delta('reasoning_summary_text', 'hm')),
    at(3, delta('output_text', 'po')),
    at(4, delta('output_text', 'ng'), event('response.output_text.done', { text: 'pong' })),
    at(5, delta('refusal', 'no'), delta('function_call_arguments', '{}')),
    at(6, over('completed', { output: [{ content: [{ type: 'output_text', text: 'pong' }] }] })),
  );
  expect(reading.output.kind).toEqual(['reasoning', 'answer', 'answer', 'refusal', 'toolCall']);
  expect(reading.output.readId).toEqual([1, 2, 3, 4, 4]);
  expect(reading).toMatchObject({ text: 'pong', failure: null, finishReason: 'stop', notes: [] });
  expect(reading.usage).toEqual({
    promptTokens: 11,
    completionTokens: 25,
    reasoningTokens: 20,
    cachedPromptTokens: 8,
  });
  expect(reading.terminalNs).toBe(6_000_000);
});

test('aisix#929: an event before any output starts no clock', () => {
  const { output, firstEventNs } = read(at(10, START), at(9000, delta('output_text', 'x')));
  expect(firstEventNs).toBe(10_000_000);
  expect(output.atNs).toEqual([9_000_000_000]);
});

test('incomplete says why; failed is a failure at once, whatever follows', () => {
  const text = delta('output_text', 'x');
  const cut = over('incomplete', { incomplete_details: { reason: 'max_output_tokens' } });
  expect(read(at(1, text, cut)).finishReason).toBe('length');
  const filtered = over('incomplete', { incomplete_details: { reason: 'content_filter' } });
  expect(read(at(1, text, filtered)).finishReason).toBe('contentFilter');
  const failed = over('failed', { error: { code: 'server_error', message: 'x' } });
  expect(readAnswer([at(1, text, failed)], { dialect: 'responses', end: 'open' })).toMatchObject({
    failure: 'serverError',
    error: { code: 'server_error' },
  });
});

test('litellm#40260: a body that stops early is truncated', () => {
  expect(read(at(1, START, delta('output_text', 'x'))).failure).toBe('truncated');
});

test('an error event with its fields at the top', () => {
  const error = event('error', { code: 'rate_limit_exceeded', message: 'Rate limit', param: null });
  expect(read(at(1, error))).toMatchObject({
    failure: 'serverError',
    error: { code: 'rate_limit_exceeded', evidence: ['rateLimit'] },
  });
});

test('one body', () => {
  const body = {
    status: 'completed',
    usage,
    output: [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'pong' }] },
      { type: 'function_call', name: 'f', arguments: '{}' },
    ],
  };
  const reading = readAnswer([at(3, JSON.stringify(body))], {
    dialect: 'responses',
    stream: false,
  });
  expect(reading.output.kind).toEqual(['reasoning', 'answer', 'toolCall']);
  expect(reading).toMatchObject({ text: 'pong', failure: null, finishReason: 'stop' });
});
