/** The same plain answer as each API streams it: for laws over all dialects. */
import { awsFrame, type DialectName } from '../../src/wire/index.ts';
import { sse, utf8 } from './wire-reading.ts';

const PROMPT_TOKENS = 7;

/** Writes an answer of one text an event, with `texts.length` tokens, that ended by itself. */
type WriteAnswer = (texts: readonly string[]) => Uint8Array;

const sseStream =
  (write: (texts: readonly string[]) => readonly string[]): WriteAnswer =>
  (texts) =>
    utf8(write(texts).join(''));

const lineStream =
  (write: (texts: readonly string[]) => readonly object[]): WriteAnswer =>
  (texts) =>
    utf8(
      write(texts)
        .map((value) => `${JSON.stringify(value)}\n`)
        .join(''),
    );

const frameStream =
  (write: (texts: readonly string[]) => readonly (readonly [string, object])[]): WriteAnswer =>
  (texts) =>
    new Uint8Array(
      Buffer.concat(
        write(texts).map(([type, payload]) =>
          awsFrame({ ':message-type': 'event', ':event-type': type }, JSON.stringify(payload)),
        ),
      ),
    );

const named = (type: string, more: object): string => sse.named(type, { type, ...more });

const anthropicEvents = (texts: readonly string[]): object[] => [
  {
    type: 'message_start',
    message: { usage: { input_tokens: PROMPT_TOKENS, output_tokens: 1 } },
  },
  ...texts.map((text) => ({ type: 'content_block_delta', delta: { type: 'text_delta', text } })),
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: { output_tokens: texts.length },
  },
  { type: 'message_stop' },
];

const openAiUsage = (texts: readonly string[]): string => sse.usage(texts.length, PROMPT_TOKENS);

export const DIALECT_STREAMS: Readonly<Record<DialectName, WriteAnswer>> = {
  chat: sseStream((texts) => [
    sse.role(),
    ...texts.map((text) => sse.content(text)),
    sse.finish(),
    openAiUsage(texts),
    sse.done(),
  ]),
  completions: sseStream((texts) => [
    ...texts.map((text) => sse.json({ choices: [{ index: 0, text, finish_reason: null }] })),
    sse.json({ choices: [{ index: 0, text: '', finish_reason: 'stop' }] }),
    openAiUsage(texts),
    sse.done(),
  ]),
  responses: sseStream((texts) => [
    named('response.created', { response: { status: 'in_progress' } }),
    ...texts.map((delta) => named('response.output_text.delta', { delta })),
    named('response.completed', {
      response: {
        status: 'completed',
        usage: { input_tokens: PROMPT_TOKENS, output_tokens: texts.length },
      },
    }),
  ]),
  anthropic: sseStream((texts) =>
    anthropicEvents(texts).map((event) => sse.named((event as { type: string }).type, event)),
  ),
  gemini: sseStream((texts) =>
    texts.map((text, at) =>
      sse.json({
        candidates: [
          {
            content: { parts: [{ text }] },
            ...(at === texts.length - 1 ? { finishReason: 'STOP' } : {}),
          },
        ],
        usageMetadata: { promptTokenCount: PROMPT_TOKENS, candidatesTokenCount: at + 1 },
      }),
    ),
  ),
  'cohere-v1': lineStream((texts) => [
    { event_type: 'stream-start' },
    ...texts.map((text) => ({ event_type: 'text-generation', text })),
    {
      event_type: 'stream-end',
      finish_reason: 'COMPLETE',
      response: {
        text: texts.join(''),
        meta: { tokens: { input_tokens: PROMPT_TOKENS, output_tokens: texts.length } },
      },
    },
  ]),
  'cohere-v2': sseStream((texts) => [
    ...texts.map((text) => named('content-delta', { delta: { message: { content: { text } } } })),
    named('message-end', {
      delta: {
        finish_reason: 'COMPLETE',
        usage: { tokens: { input_tokens: PROMPT_TOKENS, output_tokens: texts.length } },
      },
    }),
    sse.done(),
  ]),
  'bedrock-converse': frameStream((texts) => [
    ...texts.map((text) => ['contentBlockDelta', { delta: { text } }] as const),
    ['messageStop', { stopReason: 'end_turn' }],
    ['metadata', { usage: { inputTokens: PROMPT_TOKENS, outputTokens: texts.length } }],
  ]),
  'bedrock-invoke': frameStream((texts) =>
    anthropicEvents(texts).map((event) => {
      const isLast = (event as { type: string }).type === 'message_stop';
      const metrics = { inputTokenCount: PROMPT_TOKENS, outputTokenCount: texts.length };
      const whole = isLast ? { ...event, 'amazon-bedrock-invocationMetrics': metrics } : event;
      return ['chunk', { bytes: Buffer.from(JSON.stringify(whole)).toString('base64') }];
    }),
  ),
  watsonx: sseStream((texts) =>
    texts.map((text, at) =>
      sse.named('message', {
        results: [
          {
            generated_text: text,
            generated_token_count: at + 1,
            input_token_count: at === 0 ? PROMPT_TOKENS : 0,
            stop_reason: at === texts.length - 1 ? 'eos_token' : 'not_finished',
          },
        ],
      }),
    ),
  ),
  /** Its text has line ends of one kind only, and its tokens are not told. */
  replicate: sseStream((texts) => [
    ...texts.map((text) => `event: output\ndata: ${text.replaceAll('\n', '\ndata: ')}\n\n`),
    'event: done\ndata: {}\n\n',
  ]),
  'ollama-chat': lineStream((texts) => [
    ...texts.map((content) => ({ message: { content }, done: false })),
    {
      message: { content: '' },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: PROMPT_TOKENS,
      eval_count: texts.length,
    },
  ]),
  'ollama-generate': lineStream((texts) => [
    ...texts.map((response) => ({ response, done: false })),
    {
      response: '',
      done: true,
      done_reason: 'stop',
      prompt_eval_count: PROMPT_TOKENS,
      eval_count: texts.length,
    },
  ]),
  llamacpp: sseStream((texts) => [
    ...texts.map((content, at) => sse.json({ content, stop: false, tokens_predicted: at + 1 })),
    sse.json({
      content: '',
      stop: true,
      stop_type: 'eos',
      tokens_predicted: texts.length,
      tokens_evaluated: PROMPT_TOKENS,
    }),
  ]),
  tgi: sseStream((texts) =>
    texts.map((text, at) => {
      const isLast = at === texts.length - 1;
      return sse.json({
        token: { text, special: false },
        generated_text: isLast ? texts.join('') : null,
        details: isLast
          ? {
              finish_reason: 'eos_token',
              generated_tokens: texts.length,
              input_length: PROMPT_TOKENS,
            }
          : null,
      });
    }),
  ),
  triton: sseStream((texts) =>
    texts.map((text, at) =>
      sse.json({
        text_output: text,
        num_output_tokens: 1,
        num_input_tokens: PROMPT_TOKENS,
        finish_reason: at === texts.length - 1 ? 'stop' : 'None',
      }),
    ),
  ),
};
