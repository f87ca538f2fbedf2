/** `POST /ml/v1/text/generation_stream` of IBM watsonx.ai: running counts in every event. */
import type { Usage } from '../record/index.ts';
import { jsonMessages, type AnswerFormat, type ReadObject } from './answer-format.ts';
import { createAnswerReader } from './answer-reader.ts';
import { noContent } from './choice-content.ts';
import { V1_API } from './dialect-base.ts';
import type { Dialect } from './dialect.ts';
import { finishReasonOf } from './finish-reason.ts';
import { asArray, asCount, asObject, asText } from './json-object.ts';
import type { ReadingState } from './reading-state.ts';
import { field, promptFields, requestBody } from './request-body.ts';
import { SseDecoder } from './sse.ts';

const NAME = 'watsonx';

/** The base URL ends in `/ml/v1?version=DATE`. */
export const watsonx: Dialect = {
  ...V1_API,
  name: NAME,
  title: 'watsonx.ai text generation',
  listsModels: false,
  exactLength: true,
  buildBody: (intent) => {
    const { model, maxTokens, exactTokens } = intent;
    return requestBody(intent, {
      dialect: NAME,
      needed: {
        ...field('model', model),
        ...promptFields(intent.prompt, NAME, {
          ofText: (input) => ({ input }),
          ofMessages: null,
        }),
        ...field(
          'parameters',
          maxTokens === null
            ? null
            : { max_new_tokens: maxTokens, ...(exactTokens ? { min_new_tokens: maxTokens } : {}) },
        ),
      },
      refused: {
        'parameters.return_options.input_text': {
          allowed: false,
          because: 'an echoed prompt would count as output',
        },
      },
      exactLength: true,
    });
  },
  post: ({ model, ...rest }, stream) => ({
    path: stream ? '/text/generation_stream' : '/text/generation',
    query: {},
    body: { model_id: model, ...rest },
  }),
  createReader: (options) => createAnswerReader(FORMAT, options),
};

const FORMAT: AnswerFormat = {
  framing: (limits) => new SseDecoder(limits),
  ends: 'finish',
  message: (state) => jsonMessages(state, readResults(state)),
  body: readResults,
};

/** `input_token_count` is told once and 0 afterwards: the largest counts. */
function readResults(state: ReadingState): ReadObject {
  return (event, stamp) => {
    const errors = asArray(event['errors']);
    if (errors !== null) state.failByServer(errors[0] ?? { code: 'error' });
    for (const value of asArray(event['results']) ?? []) {
      const result = asObject(value);
      const usage: Usage = {
        promptTokens: asCount(result?.['input_token_count']),
        completionTokens: asCount(result?.['generated_token_count']),
        reasoningTokens: null,
        cachedPromptTokens: null,
      };
      state.sawUsage(usage, null, stamp.atNs);
      state.sawChoices(stamp.atNs);
      const answer = asText(result?.['generated_text']) ?? '';
      state.addOutput({ ...noContent(), answer }, usage, stamp);
      const word = result?.['stop_reason'];
      if (word === 'error') state.failByServer({ code: 'stop_reason_error' });
      const reason = word === 'not_finished' ? null : finishReasonOf(word);
      if (reason !== null) state.sawFinish(reason, stamp.atNs);
    }
  };
}
