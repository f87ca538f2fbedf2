/** `converse-stream` of Amazon Bedrock: one form for all models, in binary frames. */
import type { Usage } from '../record/index.ts';
import { jsonMessages, type AnswerFormat, type ReadObject } from './answer-format.ts';
import { createAnswerReader } from './answer-reader.ts';
import { AwsEventStreamDecoder } from './aws-event-stream.ts';
import { noContent, type ContentByKind } from './choice-content.ts';
import { JSON_TYPE, liftModel, ROOT_API } from './dialect-base.ts';
import type { Dialect, MediaTypes, SaidMessage } from './dialect.ts';
import { finishReasonOf } from './finish-reason.ts';
import { asArray, asCount, asObject, asText, type JsonObject } from './json-object.ts';
import type { ReadingState, ReadStamp } from './reading-state.ts';
import { field, promptFields, requestBody, systemApart, type Body } from './request-body.ts';

const NAME = 'bedrock-converse';

export const EVENT_STREAM_TYPE: MediaTypes = ['application/vnd.amazon.eventstream'];

/** Authorized by a Bedrock API key as `Bearer KEY`, or by a signature. */
export const bedrockConverse: Dialect = {
  ...ROOT_API,
  name: NAME,
  title: 'Amazon Bedrock Converse',
  keyEnv: 'AWS_BEARER_TOKEN_BEDROCK',
  awsService: 'bedrock',
  mediaTypes: { stream: EVENT_STREAM_TYPE, body: JSON_TYPE },
  listsModels: false,
  buildBody: (intent) =>
    requestBody(intent, {
      dialect: NAME,
      needed: {
        ...field('model', intent.model),
        ...promptFields(intent.prompt, NAME, {
          ofText: (text) => ({ messages: [{ role: 'user', content: [{ text }] }] }),
          ofMessages: null,
          ofConversation: conversation,
        }),
        ...field(
          'inferenceConfig',
          intent.maxTokens === null ? null : { maxTokens: intent.maxTokens },
        ),
      },
      refused: {},
      exactLength: false,
    }),
  post: (body, stream) => {
    const { model, rest } = liftModel(body);
    const path = `/model/${model}/${stream ? 'converse-stream' : 'converse'}`;
    return { path, query: {}, body: rest };
  },
  createReader: (options) => createAnswerReader(FORMAT, options),
};

const FORMAT: AnswerFormat = {
  framing: (limits) => new AwsEventStreamDecoder(limits),
  ends: 'mark',
  message: (state) => jsonMessages(state, readConverseEvent(state)),
  body: (state) => (answer, stamp) => {
    const content = noContent();
    const message = asObject(asObject(answer['output'])?.['message']);
    for (const value of asArray(message?.['content']) ?? []) addBlock(content, asObject(value));
    readUsage(state, answer['usage'], stamp);
    state.sawChoices(stamp.atNs);
    state.addOutput(content, null, stamp);
    readStop(state, answer['stopReason'], stamp);
  },
};

/** `metadata` comes after `messageStop` and closes the answer. */
function readConverseEvent(state: ReadingState): ReadObject {
  return (event, stamp, name) => {
    switch (name) {
      case 'contentBlockDelta': {
        const content = noContent();
        addBlock(content, asObject(event['delta']));
        state.sawChoices(stamp.atNs);
        state.addOutput(content, null, stamp);
        return;
      }
      case 'messageStop':
        readStop(state, event['stopReason'], stamp);
        return;
      case 'metadata':
        readUsage(state, event['usage'], stamp);
        state.sawTerminal(stamp.atNs);
        return;
      default:
      // `messageStart`, `contentBlockStart`, `contentBlockStop`, and kinds to come.
    }
  };
}

/** A delta has `text` and `input` as text, a whole block deeper and as an object. */
function addBlock(content: ContentByKind, block: JsonObject | null): void {
  content.answer += asText(block?.['text']) ?? '';
  const reasoning = asObject(block?.['reasoningContent']);
  content.reasoning +=
    asText(reasoning?.['text']) ?? asText(asObject(reasoning?.['reasoningText'])?.['text']) ?? '';
  const input = asObject(block?.['toolUse'])?.['input'];
  content.toolCall += asText(input) ?? (asObject(input) === null ? '' : JSON.stringify(input));
}

function readStop(state: ReadingState, value: unknown, stamp: ReadStamp): void {
  const reason = finishReasonOf(value);
  if (reason !== null) state.sawFinish(reason, stamp.atNs);
}

/** `inputTokens` leaves out what was read from and written to the cache. */
function readUsage(state: ReadingState, value: unknown, stamp: ReadStamp): void {
  const told = asObject(value);
  if (told === null) return;
  const fresh = asCount(told['inputTokens']);
  const cached = asCount(told['cacheReadInputTokens']);
  const written = asCount(told['cacheWriteInputTokens']);
  const usage: Usage = {
    promptTokens: fresh === null ? null : fresh + (cached ?? 0) + (written ?? 0),
    completionTokens: asCount(told['outputTokens']),
    reasoningTokens: null,
    cachedPromptTokens: cached,
  };
  state.sawUsage(usage, null, stamp.atNs);
}

function conversation(messages: readonly SaidMessage[]): Body {
  const { system, others } = systemApart(messages);
  return {
    ...field('system', system === null ? null : [{ text: system }]),
    messages: others.map(({ role, content }) => ({ role, content: [{ text: content }] })),
  };
}
