import { expect, test } from 'vitest';
import { at, readAnswer, sse } from '../../test/support/wire-reading.ts';

const tokens = { input_tokens: 506, output_tokens: 5 };
const counts = { billed_units: { input_tokens: 11, output_tokens: 2 }, tokens };

test('v2: content, plan and tool calls by kind; billed units are not tokens', () => {
  const event = (type: string, delta: object): string => sse.named(type, { type, delta });
  const part = (content: object): string => event('content-delta', { message: { content } });
  const reading = readAnswer(
    [
      at(1, event('message-start', { message: { content: [], tool_plan: '' } })),
      at(2, event('tool-plan-delta', { message: { tool_plan: 'I will' } })),
      at(3, event('tool-call-start', { message: { tool_calls: { function: { name: 'f' } } } })),
      at(
        4,
        event('tool-call-delta', { message: { tool_calls: { function: { arguments: '{}' } } } }),
      ),
      at(5, part({ thinking: 'hm' }), part({ text: 'hi' })),
      at(6, event('message-end', { finish_reason: 'COMPLETE', usage: counts }), sse.done()),
    ],
    { dialect: 'cohere-v2' },
  );
  expect(reading.output.kind).toEqual(['reasoning', 'toolCall', 'toolCall', 'reasoning', 'answer']);
  expect(reading.output.readId).toEqual([1, 2, 3, 4, 4]);
  expect(reading).toMatchObject({ text: 'hi', failure: null, finishReason: 'stop', notes: [] });
  expect(reading.usage).toMatchObject({ promptTokens: 506, completionTokens: 5 });
});

test('v2: an end that is an error is a failure', () => {
  const end = sse.named('message-end', { type: 'message-end', delta: { finish_reason: 'ERROR' } });
  expect(readAnswer([at(1, end)], { dialect: 'cohere-v2' }).failure).toBe('serverError');
});

test('v2: one body', () => {
  const body = {
    message: { content: [{ type: 'text', text: 'hi' }] },
    finish_reason: 'MAX_TOKENS',
    usage: counts,
  };
  const reading = readAnswer([at(1, JSON.stringify(body))], {
    dialect: 'cohere-v2',
    stream: false,
  });
  expect(reading).toMatchObject({ text: 'hi', failure: null, finishReason: 'length' });
});

test('v1: the last line repeats the answer, which counts once', () => {
  const line = (event_type: string, more: object = {}): string =>
    `${JSON.stringify({ event_type, ...more })}\n`;
  const reads = [
    at(1, line('stream-start')),
    at(2, line('text-generation', { text: 'Ar' })),
    at(3, line('text-generation', { text: 'rr' })),
    at(4, line('tool-calls-chunk', { tool_call_delta: { name: 'f', parameters: '{' } })),
    at(
      5,
      line('stream-end', {
        finish_reason: 'COMPLETE',
        response: { text: 'Arrr', finish_reason: 'COMPLETE', meta: counts },
      }).trim(),
    ),
  ];
  const reading = readAnswer(reads, { dialect: 'cohere-v1' });
  expect(reading.output.kind).toEqual(['answer', 'answer', 'toolCall']);
  expect(reading).toMatchObject({ text: 'Arrr', failure: null, finishReason: 'stop', notes: [] });
  expect(reading.usage).toMatchObject({ promptTokens: 506, completionTokens: 5 });
  expect(readAnswer(reads.slice(0, 3), { dialect: 'cohere-v1' }).failure).toBe('truncated');
});

test('v1: one body', () => {
  const body = { text: 'hi', finish_reason: 'COMPLETE', meta: counts };
  const reading = readAnswer([at(1, JSON.stringify(body))], {
    dialect: 'cohere-v1',
    stream: false,
  });
  expect(reading).toMatchObject({ text: 'hi', failure: null, finishReason: 'stop' });
});
