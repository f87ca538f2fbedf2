/**
 * `invoke-with-response-stream` of Amazon Bedrock: binary frames around each model maker's own
 * events. Requests are written for Anthropic models; other makers' bodies are given whole.
 */
import { jsonMessages, type AnswerFormat, type ReadObject } from './answer-format.ts';
import { readAnthropicBody, readAnthropicEvent } from './anthropic-messages.ts';
import { createAnswerReader } from './answer-reader.ts';
import { AwsEventStreamDecoder } from './aws-event-stream.ts';
import { EVENT_STREAM_TYPE } from './bedrock-converse.ts';
import { noContent } from './choice-content.ts';
import { JSON_TYPE, liftModel, ROOT_API } from './dialect-base.ts';
import type { Dialect } from './dialect.ts';
import { finishReasonOf } from './finish-reason.ts';
import { asArray, asCount, asObject, asText, parseObject, type JsonObject } from './json-object.ts';
import type { ReadingState, ReadStamp } from './reading-state.ts';
import {
  anthropicConversation,
  field,
  promptFields,
  requestBody,
  userMessage,
} from './request-body.ts';

const NAME = 'bedrock-invoke';
const VERSION = 'bedrock-2023-05-31';

export const bedrockInvoke: Dialect = {
  ...ROOT_API,
  name: NAME,
  title: 'Amazon Bedrock invoke',
  keyEnv: 'AWS_BEARER_TOKEN_BEDROCK',
  awsService: 'bedrock',
  mediaTypes: { stream: EVENT_STREAM_TYPE, body: JSON_TYPE },
  listsModels: false,
  buildBody: (intent) =>
    requestBody(intent, {
      dialect: NAME,
      needed: {
        ...field('model', intent.model),
        ...(intent.prompt.kind === 'body' ? {} : { anthropic_version: VERSION }),
        ...promptFields(intent.prompt, NAME, {
          ofText: userMessage,
          ofMessages: (messages) => ({ messages }),
          ofConversation: anthropicConversation,
        }),
        ...field('max_tokens', intent.maxTokens),
      },
      refused: {},
      exactLength: false,
    }),
  post: (body, stream) => {
    const { model, rest } = liftModel(body);
    const path = `/model/${model}/${stream ? 'invoke-with-response-stream' : 'invoke'}`;
    return { path, query: {}, body: rest };
  },
  createReader: (options) => createAnswerReader(FORMAT, options),
};

const FORMAT: AnswerFormat = {
  framing: (limits) => new AwsEventStreamDecoder(limits),
  ends: 'mark',
  message: (state) => {
    const read = readModelEvent(state);
    return jsonMessages(state, (frame, stamp, name) => {
      if (name !== 'chunk') return;
      const bytes = Buffer.from(asText(frame['bytes']) ?? '', 'base64');
      const event = parseObject(bytes.toString('utf8'));
      if (event === null) state.fail('json');
      else read(event, stamp, null);
    });
  },
  body: (state) => {
    const readAnthropic = readAnthropicBody(state);
    return (answer, stamp) => {
      if (Array.isArray(answer['content'])) readAnthropic(answer, stamp, null);
      else readPlain(state, answer, stamp);
    };
  },
};

/** Any maker's event. The metrics that Bedrock adds to the last one are its usage and its mark. */
function readModelEvent(state: ReadingState): ReadObject {
  const readAnthropic = readAnthropicEvent(state);
  return (event, stamp, name) => {
    if (asText(event['type']) === null) readPlain(state, event, stamp);
    else if (event['type'] !== 'message_stop') readAnthropic(event, stamp, name);
    const metrics = asObject(event['amazon-bedrock-invocationMetrics']);
    if (metrics === null) return;
    const usage = {
      promptTokens: asCount(metrics['inputTokenCount']),
      completionTokens: asCount(metrics['outputTokenCount']),
      reasoningTokens: null,
      cachedPromptTokens: asCount(metrics['cacheReadInputTokenCount']),
    };
    state.sawUsage(usage, null, stamp.atNs);
    state.sawTerminal(stamp.atNs);
  };
}

/** One text and one reason, under the names that Meta, Amazon and Mistral have for them. */
function readPlain(state: ReadingState, event: JsonObject, stamp: ReadStamp): void {
  const listed = asArray(event['outputs']) ?? asArray(event['results']);
  const output = listed === null ? event : (asObject(listed[0]) ?? {});
  const answer =
    asText(output['generation']) ?? asText(output['outputText']) ?? asText(output['text']) ?? '';
  state.sawChoices(stamp.atNs);
  state.addOutput({ ...noContent(), answer }, null, stamp);
  const reason = finishReasonOf(output['stop_reason'] ?? output['completionReason']);
  if (reason !== null) state.sawFinish(reason, stamp.atNs);
}
