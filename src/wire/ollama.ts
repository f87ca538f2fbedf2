/** Ollama's own API, `/api/chat` and `/api/generate`: one JSON object a line. */
import type { Usage } from '../record/index.ts';
import { jsonMessages, type AnswerFormat, type ReadObject } from './answer-format.ts';
import { createAnswerReader } from './answer-reader.ts';
import { noContent } from './choice-content.ts';
import { JSON_TYPE, postTo, ROOT_API } from './dialect-base.ts';
import type { Dialect, RequestIntent } from './dialect.ts';
import { finishReasonOf } from './finish-reason.ts';
import { asArray, asCount, asObject, asText, type JsonObject } from './json-object.ts';
import { JsonSequenceDecoder } from './json-sequence.ts';
import type { ReadingState } from './reading-state.ts';
import { field, promptFields, requestBody, userMessage, type Body } from './request-body.ts';

const CHAT = 'ollama-chat';
const GENERATE = 'ollama-generate';

const OLLAMA = {
  ...ROOT_API,
  mediaTypes: { stream: ['application/x-ndjson'], body: JSON_TYPE },
} as const satisfies Partial<Dialect>;

export const ollamaChat: Dialect = {
  ...OLLAMA,
  name: CHAT,
  title: 'Ollama chat',
  signature: { path: '/api/version', field: 'version' },
  buildBody: (intent) =>
    ollamaBody(
      CHAT,
      intent,
      promptFields(intent.prompt, CHAT, {
        ofText: userMessage,
        ofMessages: (messages) => ({ messages }),
      }),
    ),
  post: postTo('/api/chat'),
  createReader: (options) => createAnswerReader(FORMAT, options),
};

export const ollamaGenerate: Dialect = {
  ...OLLAMA,
  name: GENERATE,
  title: 'Ollama generate',
  buildBody: (intent) =>
    ollamaBody(
      GENERATE,
      intent,
      promptFields(intent.prompt, GENERATE, {
        ofText: (prompt) => ({ prompt }),
        ofMessages: null,
      }),
    ),
  post: postTo('/api/generate'),
  createReader: (options) => createAnswerReader(FORMAT, options),
};

function ollamaBody(dialect: string, intent: RequestIntent, promptPart: Body): Body {
  const { maxTokens } = intent;
  const needed = {
    ...field('model', intent.model),
    ...promptPart,
    stream: intent.stream,
    ...field('options', maxTokens === null ? null : { num_predict: maxTokens }),
  };
  return requestBody(intent, { dialect, needed, refused: {}, exactLength: false });
}

const FORMAT: AnswerFormat = {
  framing: (limits) => new JsonSequenceDecoder(limits),
  ends: 'mark',
  message: (state) => {
    const read = readLine(state);
    return jsonMessages(state, (line, stamp, event) => {
      read(line, stamp, event);
      if (line['done'] === true) state.sawTerminal(stamp.atNs);
    });
  },
  body: readLine,
};

/** A line of a stream and a whole answer have the same form. Only the last has counts. */
function readLine(state: ReadingState): ReadObject {
  return (line, stamp) => {
    const message = asObject(line['message']);
    const usage = usageOf(line);
    if (usage !== null) state.sawUsage(usage, null, stamp.atNs);
    const content = noContent();
    content.answer = asText(message?.['content']) ?? asText(line['response']) ?? '';
    content.reasoning = asText(message?.['thinking']) ?? asText(line['thinking']) ?? '';
    for (const value of asArray(message?.['tool_calls']) ?? []) {
      const call = asObject(asObject(value)?.['function']);
      if (call !== null) content.toolCall += callText(call);
    }
    state.sawChoices(stamp.atNs);
    state.addOutput(content, null, stamp);
    const reason = line['done'] === true ? finishReasonOf(line['done_reason']) : null;
    if (reason !== null) state.sawFinish(reason, stamp.atNs);
  };
}

/** Arguments come as an object, whole. */
function callText(call: JsonObject): string {
  return (asText(call['name']) ?? '') + JSON.stringify(call['arguments'] ?? {});
}

/** Older versions leave out the prompt's count when it came from the cache: unknown, not 0. */
function usageOf(line: JsonObject): Usage | null {
  const promptTokens = asCount(line['prompt_eval_count']);
  const completionTokens = asCount(line['eval_count']);
  if (promptTokens === null && completionTokens === null) return null;
  return { promptTokens, completionTokens, reasoningTokens: null, cachedPromptTokens: null };
}
