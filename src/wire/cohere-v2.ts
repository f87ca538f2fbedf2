/** `POST /v2/chat` of Cohere: named SSE events. */
import type { Usage } from '../record/index.ts';
import { jsonMessages, type AnswerFormat, type ReadObject } from './answer-format.ts';
import { createAnswerReader } from './answer-reader.ts';
import { noContent, type ContentByKind } from './choice-content.ts';
import { postTo, V1_API } from './dialect-base.ts';
import type { Dialect } from './dialect.ts';
import { finishReasonOf } from './finish-reason.ts';
import { asArray, asCount, asObject, asText, type JsonObject } from './json-object.ts';
import type { ReadingState, ReadStamp } from './reading-state.ts';
import { field, promptFields, requestBody, userMessage } from './request-body.ts';
import { SseDecoder } from './sse.ts';

const NAME = 'cohere-v2';

export const cohereV2: Dialect = {
  ...V1_API,
  name: NAME,
  title: 'Cohere v2 chat',
  keyEnv: 'CO_API_KEY',
  version: 'v2',
  listsModels: false,
  buildBody: (intent) =>
    requestBody(intent, {
      dialect: NAME,
      needed: {
        ...field('model', intent.model),
        ...promptFields(intent.prompt, NAME, {
          ofText: userMessage,
          ofMessages: (messages) => ({ messages }),
        }),
        ...field('max_tokens', intent.maxTokens),
        stream: intent.stream,
      },
      refused: {},
      exactLength: false,
    }),
  post: postTo('/chat'),
  createReader: (options) => createAnswerReader(FORMAT, options),
};

const FORMAT: AnswerFormat = {
  framing: (limits) => new SseDecoder(limits),
  ends: 'mark',
  message: (state) => jsonMessages(state, readEvents(state)),
  body: (state) => (response, stamp) => {
    readMessage(state, asObject(response['message']), stamp);
    readCohereEnd(state, response, stamp);
  },
};

function readEvents(state: ReadingState): ReadObject {
  return (event, stamp) => {
    const delta = asObject(event['delta']);
    if (event['type'] === 'message-end') readCohereEnd(state, delta, stamp);
    else readMessage(state, asObject(delta?.['message']), stamp);
  };
}

function readMessage(state: ReadingState, message: JsonObject | null, stamp: ReadStamp): void {
  const content = noContent();
  for (const part of oneOrMany(message?.['content'])) {
    content.answer += asText(part['text']) ?? '';
    content.reasoning += asText(part['thinking']) ?? '';
  }
  content.reasoning += asText(message?.['tool_plan']) ?? '';
  for (const call of oneOrMany(message?.['tool_calls']))
    addCall(content, asObject(call['function']));
  state.sawChoices(stamp.atNs);
  state.addOutput(content, null, stamp);
}

function addCall(content: ContentByKind, call: JsonObject | null): void {
  content.toolCall += (asText(call?.['name']) ?? '') + (asText(call?.['arguments']) ?? '');
}

/** A delta holds one part, a whole message a list of them. */
function oneOrMany(value: unknown): readonly JsonObject[] {
  const one = asObject(value);
  if (one !== null) return [one];
  return (asArray(value) ?? []).map(asObject).filter((item) => item !== null);
}

/**
 * Finish reason and usage, as both versions of the API end. `tokens` are what was processed;
 * `billed_units` leave out the prompt's template and the end token.
 */
export function readCohereEnd(state: ReadingState, end: JsonObject | null, stamp: ReadStamp): void {
  const reason = end?.['finish_reason'];
  const outer = asObject(end?.['usage']) ?? asObject(end?.['meta']);
  const tokens = asObject(outer?.['tokens']);
  if (tokens !== null) {
    const usage: Usage = {
      promptTokens: asCount(tokens['input_tokens']),
      completionTokens: asCount(tokens['output_tokens']),
      reasoningTokens: null,
      cachedPromptTokens: asCount(outer?.['cached_tokens']),
    };
    state.sawUsage(usage, null, stamp.atNs);
  }
  if (reason === 'ERROR' || reason === 'TIMEOUT') state.failByServer({ code: reason });
  const finish = finishReasonOf(reason);
  if (finish !== null) state.sawFinish(finish, stamp.atNs);
}
