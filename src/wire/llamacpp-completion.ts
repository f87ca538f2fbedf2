/** `/completion` of the llama.cpp server: its own form beside the OpenAI ones. */
import type { FinishReason, Usage } from '../record/index.ts';
import { jsonMessages, type AnswerFormat, type ReadObject } from './answer-format.ts';
import { createAnswerReader } from './answer-reader.ts';
import { noContent } from './choice-content.ts';
import { postTo, ROOT_API } from './dialect-base.ts';
import type { Dialect } from './dialect.ts';
import { draftOfTimings } from './draft-tokens.ts';
import { finishReasonOf } from './finish-reason.ts';
import { asCount, asObject, asText, type JsonObject } from './json-object.ts';
import type { ReadingState } from './reading-state.ts';
import { field, promptFields, requestBody } from './request-body.ts';
import { SseDecoder } from './sse.ts';

const NAME = 'llamacpp';

export const llamaCppCompletion: Dialect = {
  ...ROOT_API,
  name: NAME,
  title: 'llama.cpp completion',
  exactLength: true,
  signature: { path: '/props', field: 'default_generation_settings' },
  buildBody: (intent) =>
    requestBody(intent, {
      dialect: NAME,
      needed: {
        ...field('model', intent.model),
        ...promptFields(intent.prompt, NAME, {
          ofText: (prompt) => ({ prompt }),
          ofMessages: null,
        }),
        ...field('n_predict', intent.maxTokens),
        ...(intent.exactTokens ? { ignore_eos: true } : {}),
        stream: intent.stream,
      },
      refused: {
        n_cmpl: { allowed: 1, because: 'a load test measures one choice per request' },
      },
      exactLength: true,
    }),
  post: postTo('/completion'),
  createReader: (options) => createAnswerReader(FORMAT, options),
};

const FORMAT: AnswerFormat = {
  framing: (limits) => new SseDecoder(limits),
  ends: 'mark',
  message: (state) => {
    const read = readChunk(state);
    return jsonMessages(state, (chunk, stamp, event) => {
      read(chunk, stamp, event);
      if (chunk['stop'] === true) state.sawTerminal(stamp.atNs);
    });
  },
  body: readChunk,
};

/** A chunk of a stream and a whole answer have the same form. */
function readChunk(state: ReadingState): ReadObject {
  return (chunk, stamp) => {
    const usage = usageOf(chunk);
    if (usage !== null) state.sawUsage(usage, null, stamp.atNs);
    const draft = draftOfTimings(chunk);
    if (draft !== null) state.sawDraft(draft);
    state.sawChoices(stamp.atNs);
    state.addOutput({ ...noContent(), answer: asText(chunk['content']) ?? '' }, usage, stamp);
    const reason = chunk['stop'] === true ? stopReason(chunk) : null;
    if (reason !== null) state.sawFinish(reason, stamp.atNs);
  };
}

/** `stop_type`, or the three flags of older versions. */
function stopReason(chunk: JsonObject): FinishReason | null {
  const type = chunk['stop_type'];
  if (typeof type === 'string') return type === 'none' ? null : finishReasonOf(type);
  if (chunk['stopped_limit'] === true) return 'length';
  return chunk['stopped_eos'] === true || chunk['stopped_word'] === true ? 'stop' : null;
}

/** `tokens_cached` counts all that is in the cache afterwards, so it is no prefix hit. */
function usageOf(chunk: JsonObject): Usage | null {
  const completionTokens = asCount(chunk['tokens_predicted']);
  if (completionTokens === null) return null;
  return {
    promptTokens: asCount(chunk['tokens_evaluated']),
    completionTokens,
    reasoningTokens: null,
    cachedPromptTokens: asCount(asObject(chunk['timings'])?.['cache_n']),
  };
}
