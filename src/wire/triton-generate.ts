/** `generate_stream` of the Triton server, with TensorRT-LLM or vLLM behind it. */
import type { Usage } from '../record/index.ts';
import { jsonMessages, type AnswerFormat, type ReadObject } from './answer-format.ts';
import { createAnswerReader } from './answer-reader.ts';
import { noContent } from './choice-content.ts';
import { liftModel, ROOT_API } from './dialect-base.ts';
import type { Dialect, RequestIntent } from './dialect.ts';
import { finishReasonOf } from './finish-reason.ts';
import { asArray, asCount, asText } from './json-object.ts';
import type { ReadingState } from './reading-state.ts';
import { field, promptFields, requestBody, type Body } from './request-body.ts';
import { SseDecoder } from './sse.ts';

const NAME = 'triton';

export const tritonGenerate: Dialect = {
  ...ROOT_API,
  name: NAME,
  title: 'Triton generate',
  listsModels: false,
  usage: 'asked',
  signature: { path: '/v2', field: 'extensions' },
  buildBody: (intent) =>
    requestBody(intent, {
      dialect: NAME,
      needed: {
        ...field('model', intent.model),
        ...promptFields(intent.prompt, NAME, {
          ofText: (text) => ({ text_input: text }),
          ofMessages: null,
        }),
        ...field('max_tokens', intent.maxTokens),
        stream: intent.stream,
        ...askedOutputs(intent),
      },
      refused: {
        beam_width: { allowed: 1, because: 'a load test measures one choice per request' },
        exclude_input_in_output: {
          allowed: true,
          because: 'an echoed prompt would count as output',
        },
      },
      exactLength: false,
    }),
  post: (body, stream) => {
    const { model, rest } = liftModel(body);
    return {
      path: `/v2/models/${model}/${stream ? 'generate_stream' : 'generate'}`,
      query: {},
      body: rest,
    };
  },
  createReader: (options) => createAnswerReader(FORMAT, options),
};

/** Back ends that do not know these outputs ignore the wish. */
function askedOutputs({ usage }: RequestIntent): Body {
  if (usage === 'none') return {};
  return {
    return_num_input_tokens: true,
    return_num_output_tokens: true,
    return_finish_reason: true,
  };
}

/** Some back ends tell no finish reason, and none has an end mark: the body's end must do. */
const FORMAT: AnswerFormat = {
  framing: (limits) => new SseDecoder(limits),
  ends: 'body',
  message: (state) => jsonMessages(state, readResponses(state)),
  body: readResponses,
};

/** `num_output_tokens` counts the tokens of one response, not a running total. */
function readResponses(state: ReadingState): ReadObject {
  let tokens: number | null = null;
  return (response, stamp) => {
    const added = asCount(response['num_output_tokens']);
    if (added !== null) tokens = (tokens ?? 0) + added;
    const usage: Usage = {
      promptTokens: asCount(response['num_input_tokens']),
      completionTokens: tokens,
      reasoningTokens: null,
      cachedPromptTokens: null,
    };
    if (added !== null || usage.promptTokens !== null) state.sawUsage(usage, null, stamp.atNs);
    const texts = asArray(response['text_output']);
    if (texts !== null && texts.length > 1) state.fail('multipleChoices');
    const answer = asText(texts === null ? response['text_output'] : texts[0]) ?? '';
    state.sawChoices(stamp.atNs);
    state.addOutput({ ...noContent(), answer }, added === null ? null : usage, stamp);
    const word = response['finish_reason'];
    const reason = word === 'None' ? null : finishReasonOf(word);
    if (reason !== null) state.sawFinish(reason, stamp.atNs);
  };
}
