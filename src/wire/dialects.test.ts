import { describe, expect, test } from 'vitest';
import { ProblemsError } from '../base/index.ts';
import { readAnswer, utf8 } from '../../test/support/wire-reading.ts';
import type { Dialect, RequestIntent } from './dialect.ts';
import { DIALECT_NAMES, DIALECTS, type DialectName } from './dialects.ts';

const intent = (over: Partial<RequestIntent> = {}): RequestIntent => ({
  model: 'm:1',
  prompt: { kind: 'text', text: 'hi' },
  maxTokens: 64,
  maxTokensField: 'max_tokens',
  exactTokens: false,
  stream: true,
  usage: 'final',
  extra: {},
  ...over,
});

/** What goes over the wire for this intent. */
function posted(name: DialectName, over: Partial<RequestIntent> = {}): unknown {
  const dialect: Dialect = DIALECTS[name];
  const asked = intent(over);
  return dialect.post(dialect.buildBody(asked), asked.stream);
}

const messages = [{ role: 'user', content: 'hi' }];

/** Path, query and body of a streamed request for `hi` in at most 64 tokens. */
const REQUESTS: Readonly<Record<DialectName, readonly [string, object, object]>> = {
  chat: [
    '/chat/completions',
    {},
    {
      model: 'm:1',
      messages,
      max_tokens: 64,
      stream: true,
      stream_options: { include_usage: true },
    },
  ],
  completions: [
    '/completions',
    {},
    {
      model: 'm:1',
      prompt: 'hi',
      max_tokens: 64,
      stream: true,
      stream_options: { include_usage: true },
    },
  ],
  responses: ['/responses', {}, { model: 'm:1', input: 'hi', max_output_tokens: 64, stream: true }],
  anthropic: ['/messages', {}, { model: 'm:1', messages, max_tokens: 64, stream: true }],
  gemini: [
    '/models/m%3A1:streamGenerateContent',
    { alt: 'sse' },
    {
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      generationConfig: { maxOutputTokens: 64 },
    },
  ],
  'cohere-v1': ['/chat', {}, { model: 'm:1', message: 'hi', max_tokens: 64, stream: true }],
  'cohere-v2': ['/chat', {}, { model: 'm:1', messages, max_tokens: 64, stream: true }],
  'bedrock-converse': [
    '/model/m%3A1/converse-stream',
    {},
    {
      messages: [{ role: 'user', content: [{ text: 'hi' }] }],
      inferenceConfig: { maxTokens: 64 },
    },
  ],
  'bedrock-invoke': [
    '/model/m%3A1/invoke-with-response-stream',
    {},
    { anthropic_version: 'bedrock-2023-05-31', messages, max_tokens: 64 },
  ],
  watsonx: [
    '/text/generation_stream',
    {},
    { model_id: 'm:1', input: 'hi', parameters: { max_new_tokens: 64 } },
  ],
  replicate: [
    '/predictions',
    {},
    { version: 'm:1', input: { prompt: 'hi', max_tokens: 64 }, stream: true },
  ],
  'ollama-chat': [
    '/api/chat',
    {},
    { model: 'm:1', messages, stream: true, options: { num_predict: 64 } },
  ],
  'ollama-generate': [
    '/api/generate',
    {},
    { model: 'm:1', prompt: 'hi', stream: true, options: { num_predict: 64 } },
  ],
  llamacpp: ['/completion', {}, { model: 'm:1', prompt: 'hi', n_predict: 64, stream: true }],
  tgi: [
    '/generate_stream',
    {},
    { inputs: 'hi', parameters: { max_new_tokens: 64, details: true } },
  ],
  triton: [
    '/v2/models/m%3A1/generate_stream',
    {},
    {
      text_input: 'hi',
      max_tokens: 64,
      stream: true,
      return_num_input_tokens: true,
      return_num_output_tokens: true,
      return_finish_reason: true,
    },
  ],
};

describe.each(DIALECT_NAMES)('%s', (name) => {
  const dialect: Dialect = DIALECTS[name];

  test('a streamed request, field by field', () => {
    const [path, query, body] = REQUESTS[name];
    expect(posted(name)).toEqual({ path, query, body });
    expect(dialect.name).toBe(name);
  });

  test('a request without a stream asks another path, says so in the body, or is refused', () => {
    const ask = (): unknown => posted(name, { stream: false });
    if (dialect.follow === null) expect(ask()).not.toEqual(posted(name));
    else expect(ask).toThrow(ProblemsError);
  });

  test('no planned length, no length field', () => {
    expect(JSON.stringify(posted(name, { maxTokens: null }))).not.toContain('64');
  });

  test('an exact length is asked for or refused, never dropped', () => {
    const ask = (): unknown => posted(name, { exactTokens: true });
    if (dialect.exactLength) expect(ask()).not.toEqual(posted(name));
    else expect(ask).toThrow(ProblemsError);
  });

  test('fields of the user’s own are merged, those that contradict are refused', () => {
    const extra = { temperature: 0, nested: { a: [1] } };
    expect(posted(name, { extra })).toMatchObject({ body: extra });
    expect(() => posted(name, { extra: { model: 'other' } })).toThrow(/model: "other"/);
  });

  test('a body of the user’s own is sent with its fields', () => {
    const body = { anything: { at: 'all' } };
    const own = { prompt: { kind: 'body', body }, maxTokens: null, usage: 'none' } as const;
    expect(posted(name, own)).toMatchObject({ body });
  });

  test('nothing, blanks and other text are no answers', () => {
    for (const stream of [true, false]) {
      for (const text of ['', '\n\n', 'hello', '<html></html>', '{}', '[]', 'data: {}\n\n']) {
        const { failure } = readAnswer([{ atMs: 1, text: utf8(text) }], { dialect: name, stream });
        expect(failure, JSON.stringify(text)).not.toBeNull();
      }
    }
  });

  test('an announced error is a failure, streamed or not', () => {
    const error = '{"error":{"message":"Rate limit reached","code":"slow_down"}}';
    const whole = readAnswer([{ atMs: 1, text: error }], { dialect: name, stream: false });
    expect(whole).toMatchObject({ failure: 'serverError', error: { evidence: ['rateLimit'] } });
    const isBinary = dialect.mediaTypes.stream[0].includes('eventstream');
    if (isBinary) return;
    const streamed = readAnswer([{ atMs: 1, text: error }], { dialect: name });
    expect(streamed).toMatchObject({ failure: 'serverError', error: { code: 'slow_down' } });
  });
});

test.each([
  ['gemini', { generationConfig: { candidateCount: 2 } }, 'generationConfig.candidateCount'],
  ['gemini', { generationConfig: { maxOutputTokens: 5 } }, 'generationConfig.maxOutputTokens'],
  ['tgi', { parameters: { best_of: 2 } }, 'parameters.best_of'],
  ['tgi', { parameters: { details: false } }, 'parameters.details'],
  ['triton', { beam_width: 4 }, 'beam_width'],
  ['ollama-chat', { options: { num_predict: 1 } }, 'options.num_predict'],
  ['llamacpp', { n_cmpl: 2 }, 'n_cmpl'],
  ['responses', { background: true }, 'background'],
  ['chat', { stream_options: 5 }, 'stream_options'],
] as const)('%s refuses %j', (name, extra, path) => {
  expect(() => posted(name, { extra })).toThrow(`body field ${path}:`);
});

test('nested fields are kept beside ours', () => {
  const extra = { generationConfig: { temperature: 0 } };
  expect(posted('gemini', { extra })).toMatchObject({
    body: { generationConfig: { temperature: 0, maxOutputTokens: 64 } },
  });
});

test('a field named like a prototype is a field like any other', () => {
  const extra = JSON.parse('{"__proto__":{"polluted":1},"constructor":2}') as object;
  const body = JSON.stringify(posted('chat', { extra: extra as RequestIntent['extra'] }));
  expect(body).toContain('"__proto__":{"polluted":1}');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('exact lengths where an API has fields for them', () => {
  const exact = { exactTokens: true };
  expect(posted('chat', exact)).toMatchObject({ body: { ignore_eos: true, min_tokens: 64 } });
  expect(posted('llamacpp', exact)).toMatchObject({ body: { ignore_eos: true, n_predict: 64 } });
  expect(posted('watsonx', exact)).toMatchObject({
    body: { parameters: { min_new_tokens: 64, max_new_tokens: 64 } },
  });
});

test('chat messages go where the API takes them in that form, else are refused', () => {
  const prompt = { kind: 'messages', messages } as const;
  expect(posted('anthropic', { prompt })).toMatchObject({ body: { messages } });
  expect(posted('responses', { prompt })).toMatchObject({ body: { input: messages } });
  for (const name of ['completions', 'gemini', 'tgi', 'bedrock-converse'] as const) {
    expect(() => posted(name, { prompt })).toThrow(ProblemsError);
  }
});

test('a conversation is written as each API has it, and as one text where there are no turns', () => {
  const prompt = {
    kind: 'conversation',
    messages: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'hello' },
      { role: 'user', content: 'bye' },
    ],
  } as const;
  const [system, ...turns] = prompt.messages;
  expect(posted('chat', { prompt })).toMatchObject({ body: { messages: prompt.messages } });
  expect(posted('anthropic', { prompt })).toMatchObject({
    body: { system: system.content, messages: turns },
  });
  expect(posted('gemini', { prompt })).toMatchObject({
    body: {
      systemInstruction: { parts: [{ text: 'be brief' }] },
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [{ text: 'hello' }] },
        { role: 'user', parts: [{ text: 'bye' }] },
      ],
    },
  });
  expect(posted('bedrock-converse', { prompt })).toMatchObject({
    body: {
      system: [{ text: 'be brief' }],
      messages: turns.map(({ role, content }) => ({ role, content: [{ text: content }] })),
    },
  });
  expect(posted('cohere-v1', { prompt })).toMatchObject({
    body: {
      preamble: 'be brief',
      chat_history: [
        { role: 'USER', message: 'hi' },
        { role: 'CHATBOT', message: 'hello' },
      ],
      message: 'bye',
    },
  });
  expect(posted('completions', { prompt })).toMatchObject({
    body: { prompt: 'be brief\nhi\nhello\nbye' },
  });
});
