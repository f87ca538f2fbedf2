import { describe, expect, test } from 'vitest';
import { at, readAnswer, sse } from '../../test/support/wire-reading.ts';
import type { AnswerReading } from './dialect.ts';

const event = (type: string, more: object = {}): string => sse.named(type, { type, ...more });
const start = (usage: object): string =>
  event('message_start', { message: { role: 'assistant', content: [], usage } });
const delta = (more: object): string => event('content_block_delta', { index: 0, delta: more });
const text = (value: string): string => delta({ type: 'text_delta', text: value });
const end = (reason: string, usage: object): string =>
  event('message_delta', { delta: { stop_reason: reason }, usage });
const STOP = event('message_stop');

const read = (...reads: Parameters<typeof readAnswer>[0]): AnswerReading =>
  readAnswer(reads, { dialect: 'anthropic' });

describe('a stream of content blocks', () => {
  test('open-webui#29064 and ccusage#938: the last total replaces the first, nothing is added', () => {
    const reading = read(
      at(1, start({ input_tokens: 19, output_tokens: 1 })),
      at(2, event('content_block_start', { content_block: { type: 'text', text: '' } })),
      at(3, event('ping'), text('Ni')),
      at(4, text('ne'), event('content_block_stop')),
      at(5, end('end_turn', { output_tokens: 9 }), STOP),
    );
    expect(reading.usage).toMatchObject({ promptTokens: 19, completionTokens: 9 });
    expect(reading.output.readId).toEqual([2, 3]);
    expect(reading).toMatchObject({
      text: 'Nine',
      failure: null,
      finishReason: 'stop',
      notes: [],
      terminalNs: 5_000_000,
    });
  });

  test('the prompt is what was new, read from the cache and written to it', () => {
    const usage = {
      input_tokens: 5,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 20,
      output_tokens: 1,
    };
    const { usage: told } = read(at(1, start(usage), text('x'), end('end_turn', {}), STOP));
    expect(told).toMatchObject({ promptTokens: 125, cachedPromptTokens: 100 });
  });

  test('thinking is reasoning; empty thinking and signatures are nothing', () => {
    const reading = read(
      at(1, start({ input_tokens: 1 }), delta({ type: 'thinking_delta', thinking: '' })),
      at(2, delta({ type: 'signature_delta', signature: 'abc' })),
      at(3, delta({ type: 'thinking_delta', thinking: 'hm' })),
      at(4, text('x')),
      at(5, end('end_turn', { output_tokens: 50, output_tokens_details: { thinking_tokens: 40 } })),
      at(6, STOP),
    );
    expect(reading.output.kind).toEqual(['reasoning', 'answer']);
    expect(reading.output.readId).toEqual([2, 3]);
    expect(reading.usage).toMatchObject({ completionTokens: 50, reasoningTokens: 40 });
  });

  test('codex-router#145: arguments of a tool alone are output, but no text', () => {
    const reading = read(
      at(1, event('content_block_start', { content_block: { type: 'tool_use', input: {} } })),
      at(2, delta({ type: 'input_json_delta', partial_json: '{"a":1}' })),
      at(3, end('tool_use', { output_tokens: 9 }), STOP),
    );
    expect(reading.output.kind).toEqual(['toolCall']);
    expect(reading).toMatchObject({ failure: null, finishReason: 'toolCalls', text: '' });
  });

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'contentFilter'],
    ['pause_turn', 'other'],
  ])('stop_reason %s is %s', (word, reason) => {
    expect(read(at(1, text('x'), end(word, {}), STOP)).finishReason).toBe(reason);
  });

  test('an error inside the stream ends it', () => {
    const error = event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } });
    const reading = readAnswer([at(1, text('x')), at(2, error)], {
      dialect: 'anthropic',
      end: 'open',
    });
    expect(reading).toMatchObject({ failure: 'serverError', error: { type: 'overloaded_error' } });
  });

  test('cut before its stop reason it is truncated, after it the cut is a note', () => {
    expect(read(at(1, text('x'))).failure).toBe('truncated');
    const late = readAnswer([at(1, text('x'), end('end_turn', {}))], {
      dialect: 'anthropic',
      end: 'cut',
    });
    expect(late).toMatchObject({ failure: null, notes: ['resetAfterFinish'] });
  });
});

test('one body', () => {
  const body = {
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'hi' },
      { type: 'tool_use', name: 'f', input: { a: 1 } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 3, output_tokens: 7 },
  };
  const reading = readAnswer([at(3, JSON.stringify(body))], {
    dialect: 'anthropic',
    stream: false,
  });
  expect(reading.output.kind).toEqual(['reasoning', 'answer', 'toolCall']);
  expect(reading).toMatchObject({ text: 'hi', failure: null, finishReason: 'toolCalls' });
});
