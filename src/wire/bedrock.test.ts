import { describe, expect, test } from 'vitest';
import { at, readAnswer, type Read } from '../../test/support/wire-reading.ts';
import { awsFrame } from './aws-event-stream.ts';

const frame = (type: string, payload: object): Uint8Array =>
  awsFrame({ ':message-type': 'event', ':event-type': type }, JSON.stringify(payload));
const reads = (frames: readonly Uint8Array[]): Read[] =>
  frames.map((text, index) => ({ atMs: index + 1, text }));

const OUTCOME = [
  frame('messageStop', { stopReason: 'end_turn' }),
  frame('metadata', {
    usage: { inputTokens: 5, cacheReadInputTokens: 100, cacheWriteInputTokens: 0, outputTokens: 9 },
  }),
];
const delta = (value: object): Uint8Array => frame('contentBlockDelta', { delta: value });

describe('converse', () => {
  test('blocks by kind, reason, usage, and metadata as the end mark', () => {
    const reading = readAnswer(
      reads([
        frame('messageStart', { role: 'assistant' }),
        delta({ reasoningContent: { text: 'hm' } }),
        delta({ reasoningContent: { signature: 'abc' } }),
        delta({ text: 'hi' }),
        frame('contentBlockStart', { start: { toolUse: { name: 'f' } } }),
        delta({ toolUse: { input: '{"a"' } }),
        ...OUTCOME,
      ]),
      { dialect: 'bedrock-converse' },
    );
    expect(reading.output.kind).toEqual(['reasoning', 'answer', 'toolCall']);
    expect(reading.output.readId).toEqual([1, 3, 5]);
    expect(reading).toMatchObject({ text: 'hi', failure: null, finishReason: 'stop', notes: [] });
    expect(reading.usage).toMatchObject({
      promptTokens: 105,
      completionTokens: 9,
      cachedPromptTokens: 100,
    });
    expect(reading.terminalNs).toBe(8_000_000);
  });

  test('an exception inside the stream; a frame that is broken; a stream that stops', () => {
    const thrown = awsFrame(
      { ':message-type': 'exception', ':exception-type': 'modelStreamErrorException' },
      '{"message":"x"}',
    );
    const options = { dialect: 'bedrock-converse' } as const;
    expect(readAnswer(reads([delta({ text: 'x' }), thrown]), options)).toMatchObject({
      failure: 'serverError',
      error: { code: 'modelStreamErrorException' },
    });
    const broken = delta({ text: 'x' });
    broken[20] = 0;
    expect(readAnswer(reads([broken]), options).failure).toBe('protocol');
    expect(readAnswer(reads([delta({ text: 'x' })]), options).failure).toBe('truncated');
  });

  test('one body', () => {
    const body = {
      output: {
        message: {
          content: [
            { reasoningContent: { reasoningText: { text: 'hm' } } },
            { text: 'hi' },
            { toolUse: { name: 'f', input: { a: 1 } } },
          ],
        },
      },
      stopReason: 'tool_use',
      usage: { inputTokens: 3, outputTokens: 7 },
    };
    const reading = readAnswer([at(1, JSON.stringify(body))], {
      dialect: 'bedrock-converse',
      stream: false,
    });
    expect(reading.output.kind).toEqual(['reasoning', 'answer', 'toolCall']);
    expect(reading).toMatchObject({ text: 'hi', failure: null, finishReason: 'toolCalls' });
  });
});

describe('invoke', () => {
  const chunk = (event: object): Uint8Array =>
    frame('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64') });
  const metrics = {
    'amazon-bedrock-invocationMetrics': { inputTokenCount: 12, outputTokenCount: 4 },
  };

  test('an Anthropic model’s events', () => {
    const reading = readAnswer(
      reads([
        chunk({
          type: 'message_start',
          message: { usage: { input_tokens: 12, output_tokens: 1 } },
        }),
        chunk({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'hi' } }),
        chunk({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} }),
        chunk({ type: 'message_stop', ...metrics }),
      ]),
      { dialect: 'bedrock-invoke' },
    );
    expect(reading).toMatchObject({ text: 'hi', failure: null, finishReason: 'stop', notes: [] });
    expect(reading.usage).toMatchObject({ promptTokens: 12, completionTokens: 4 });
    expect(reading.terminalNs).toBe(4_000_000);
  });

  test.each([
    [{ generation: 'hi' }, { generation: '', stop_reason: 'stop' }, 'stop'],
    [{ outputText: 'hi' }, { outputText: '', completionReason: 'FINISH' }, 'stop'],
    [{ outputs: [{ text: 'hi' }] }, { outputs: [{ text: '', stop_reason: 'length' }] }, 'length'],
  ])('another maker’s events: %j', (first, last, reason) => {
    const reading = readAnswer(reads([chunk(first), chunk({ ...last, ...metrics })]), {
      dialect: 'bedrock-invoke',
    });
    expect(reading).toMatchObject({ text: 'hi', failure: null, finishReason: reason, notes: [] });
    expect(reading.usage?.completionTokens).toBe(4);
  });

  test('a chunk that holds no JSON', () => {
    const bytes = Buffer.from('oops').toString('base64');
    expect(
      readAnswer(reads([frame('chunk', { bytes })]), { dialect: 'bedrock-invoke' }).failure,
    ).toBe('json');
  });

  test('one body', () => {
    const body = { content: [{ type: 'text', text: 'hi' }], stop_reason: 'end_turn' };
    const reading = readAnswer([at(1, JSON.stringify(body))], {
      dialect: 'bedrock-invoke',
      stream: false,
    });
    expect(reading).toMatchObject({ text: 'hi', failure: null, finishReason: 'stop' });
  });
});
