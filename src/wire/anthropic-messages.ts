/** `POST /messages` of Anthropic: content blocks, opened, filled by deltas and closed. */
import type { Usage } from '../record/index.ts';
import { jsonMessages, type AnswerFormat, type ReadObject } from './answer-format.ts';
import { createAnswerReader } from './answer-reader.ts';
import { noContent, type ContentByKind } from './choice-content.ts';
import { postTo, V1_API } from './dialect-base.ts';
import type { Dialect } from './dialect.ts';
import { finishReasonOf } from './finish-reason.ts';
import { asArray, asCount, asObject, asText, type JsonObject } from './json-object.ts';
import type { ReadingState, ReadStamp } from './reading-state.ts';
import {
  anthropicConversation,
  field,
  promptFields,
  requestBody,
  userMessage,
} from './request-body.ts';
import { SseDecoder } from './sse.ts';

const NAME = 'anthropic';

export const anthropicMessages: Dialect = {
  ...V1_API,
  name: NAME,
  title: 'Anthropic Messages',
  keyEnv: 'ANTHROPIC_API_KEY',
  keyHeader: 'x-api-key',
  headers: { 'anthropic-version': '2023-06-01' },
  buildBody: (intent) =>
    requestBody(intent, {
      dialect: NAME,
      needed: {
        ...field('model', intent.model),
        ...promptFields(intent.prompt, NAME, {
          ofText: userMessage,
          ofMessages: (messages) => ({ messages }),
          ofConversation: anthropicConversation,
        }),
        ...field('max_tokens', intent.maxTokens),
        stream: intent.stream,
      },
      refused: {},
      exactLength: false,
    }),
  post: postTo('/messages'),
  createReader: (options) => createAnswerReader(FORMAT, options),
};

const FORMAT: AnswerFormat = {
  framing: (limits) => new SseDecoder(limits),
  ends: 'mark',
  message: (state) => jsonMessages(state, readAnthropicEvent(state)),
  body: readAnthropicBody,
};

/** Reads one event of a Messages stream, also where another API carries it. */
export function readAnthropicEvent(state: ReadingState): ReadObject {
  return (event, stamp, name) => {
    switch (asText(event['type']) ?? name) {
      case 'message_start':
        readUsage(state, asObject(event['message'])?.['usage'], stamp);
        return;
      case 'content_block_start':
        readContent(state, asObject(event['content_block']), stamp);
        return;
      case 'content_block_delta':
        readContent(state, asObject(event['delta']), stamp);
        return;
      case 'message_delta':
        readUsage(state, event['usage'], stamp);
        readFinish(state, asObject(event['delta'])?.['stop_reason'], stamp);
        return;
      case 'message_stop':
        state.sawTerminal(stamp.atNs);
        return;
      default:
      // `ping`, `content_block_stop`, and kinds to come.
    }
  };
}

/** Reads a whole message. */
export function readAnthropicBody(state: ReadingState): ReadObject {
  return (message, stamp) => {
    const content = noContent();
    for (const value of asArray(message['content']) ?? []) addBlock(content, asObject(value));
    readUsage(state, message['usage'], stamp);
    state.sawChoices(stamp.atNs);
    state.addOutput(content, null, stamp);
    readFinish(state, message['stop_reason'], stamp);
  };
}

function readContent(state: ReadingState, block: JsonObject | null, stamp: ReadStamp): void {
  const content = noContent();
  addBlock(content, block);
  state.sawChoices(stamp.atNs);
  state.addOutput(content, null, stamp);
}

/** A block and its delta use the same fields. Signatures and redacted thinking are no output. */
function addBlock(content: ContentByKind, block: JsonObject | null): void {
  content.answer += asText(block?.['text']) ?? '';
  content.reasoning += asText(block?.['thinking']) ?? '';
  content.toolCall += asText(block?.['partial_json']) ?? '';
  const input = asObject(block?.['input']);
  if (input !== null && Object.keys(input).length > 0) content.toolCall += JSON.stringify(input);
}

function readFinish(state: ReadingState, value: unknown, stamp: ReadStamp): void {
  const reason = finishReasonOf(value);
  if (reason !== null) state.sawFinish(reason, stamp.atNs);
}

/** `input_tokens` leaves out what was read from and written to the cache: the prompt is all three. */
function readUsage(state: ReadingState, value: unknown, stamp: ReadStamp): void {
  const told = asObject(value);
  if (told === null) return;
  const fresh = asCount(told['input_tokens']);
  const cached = asCount(told['cache_read_input_tokens']);
  const usage: Usage = {
    promptTokens:
      fresh === null
        ? null
        : fresh + (cached ?? 0) + (asCount(told['cache_creation_input_tokens']) ?? 0),
    completionTokens: asCount(told['output_tokens']),
    reasoningTokens: asCount(asObject(told['output_tokens_details'])?.['thinking_tokens']),
    cachedPromptTokens: cached,
  };
  state.sawUsage(usage, null, stamp.atNs);
}
