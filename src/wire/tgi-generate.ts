/** `generate_stream` of Text Generation Inference: one event for each token. */
import type { Usage } from '../record/index.ts';
import { jsonMessages, type AnswerFormat, type ReadObject } from './answer-format.ts';
import { createAnswerReader } from './answer-reader.ts';
import { noContent } from './choice-content.ts';
import { ROOT_API } from './dialect-base.ts';
import type { Dialect } from './dialect.ts';
import { finishReasonOf } from './finish-reason.ts';
import { asArray, asCount, asObject, asText, type JsonObject } from './json-object.ts';
import type { ReadingState, ReadStamp } from './reading-state.ts';
import { field, promptFields, requestBody } from './request-body.ts';
import { SseDecoder } from './sse.ts';

const NAME = 'tgi';

export const tgiGenerate: Dialect = {
  ...ROOT_API,
  name: NAME,
  title: 'Text Generation Inference generate',
  signature: { path: '/info', field: 'max_total_tokens' },
  buildBody: (intent) =>
    requestBody(intent, {
      dialect: NAME,
      needed: {
        // The server has one model and knows no such field: it ignores it.
        ...field('model', intent.model),
        ...promptFields(intent.prompt, NAME, {
          ofText: (inputs) => ({ inputs }),
          ofMessages: null,
        }),
        parameters: { ...field('max_new_tokens', intent.maxTokens), details: true },
      },
      refused: {
        'parameters.best_of': {
          allowed: 1,
          because: 'a load test measures one choice per request',
        },
        'parameters.return_full_text': {
          allowed: false,
          because: 'an echoed prompt would count as output',
        },
      },
      exactLength: false,
    }),
  post: (body, stream) => {
    const { model: _model, ...rest } = body;
    return { path: stream ? '/generate_stream' : '/generate', query: {}, body: rest };
  },
  createReader: (options) => createAnswerReader(FORMAT, options),
};

const FORMAT: AnswerFormat = {
  framing: (limits) => new SseDecoder(limits),
  ends: 'finish',
  message: (state) => jsonMessages(state, readTokens(state)),
  body: (state) => (answer, stamp) => {
    readDetails(state, asObject(answer['details']), stamp);
    state.sawChoices(stamp.atNs);
    const content = { ...noContent(), answer: asText(answer['generated_text']) ?? '' };
    state.addOutput(content, null, stamp);
  },
};

/** The last event repeats the whole text in `generated_text`: it is not read. */
function readTokens(state: ReadingState): ReadObject {
  let tokens = 0;
  return (event, stamp) => {
    const token = asObject(event['token']);
    if (token !== null) {
      tokens += 1;
      const usage = { ...NO_COUNTS, completionTokens: tokens };
      state.sawUsage(usage, null, stamp.atNs);
      // A special token, such as the end token, is generated but has no text of its own.
      const answer = token['special'] === true ? '' : (asText(token['text']) ?? '');
      state.sawChoices(stamp.atNs);
      state.addOutput({ ...noContent(), answer }, usage, stamp);
    }
    readDetails(state, asObject(event['details']), stamp);
    if (typeof event['generated_text'] === 'string') state.sawTerminal(stamp.atNs);
  };
}

const NO_COUNTS: Usage = {
  promptTokens: null,
  completionTokens: null,
  reasoningTokens: null,
  cachedPromptTokens: null,
};

function readDetails(state: ReadingState, details: JsonObject | null, stamp: ReadStamp): void {
  if (details === null) return;
  const usage: Usage = {
    ...NO_COUNTS,
    promptTokens: asCount(details['input_length']) ?? (asArray(details['prefill'])?.length || null),
    completionTokens: asCount(details['generated_tokens']),
  };
  state.sawUsage(usage, null, stamp.atNs);
  const reason = finishReasonOf(details['finish_reason']);
  if (reason !== null) state.sawFinish(reason, stamp.atNs);
}
