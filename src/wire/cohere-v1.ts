/** `POST /v1/chat` of Cohere: one JSON object a line. */
import { jsonMessages, type AnswerFormat, type ReadObject } from './answer-format.ts';
import { createAnswerReader } from './answer-reader.ts';
import { noContent } from './choice-content.ts';
import { readCohereEnd } from './cohere-v2.ts';
import { JSON_TYPE, postTo, V1_API } from './dialect-base.ts';
import type { Dialect, SaidMessage } from './dialect.ts';
import { asArray, asObject, asText } from './json-object.ts';
import { JsonSequenceDecoder } from './json-sequence.ts';
import type { ReadingState } from './reading-state.ts';
import { field, promptFields, requestBody, systemApart, type Body } from './request-body.ts';

const NAME = 'cohere-v1';

export const cohereV1: Dialect = {
  ...V1_API,
  name: NAME,
  title: 'Cohere v1 chat',
  keyEnv: 'CO_API_KEY',
  mediaTypes: {
    stream: ['application/stream+json', 'application/x-ndjson', 'application/json'],
    body: JSON_TYPE,
  },
  listsModels: false,
  buildBody: (intent) =>
    requestBody(intent, {
      dialect: NAME,
      needed: {
        ...field('model', intent.model),
        ...promptFields(intent.prompt, NAME, {
          ofText: (message) => ({ message }),
          ofMessages: null,
          ofConversation: conversation,
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
  framing: (limits) => new JsonSequenceDecoder(limits),
  ends: 'mark',
  message: (state) => jsonMessages(state, readEvents(state)),
  body: (state) => (response, stamp) => {
    const calls = asArray(response['tool_calls']) ?? [];
    const content = {
      ...noContent(),
      answer: asText(response['text']) ?? '',
      toolCall: calls.length === 0 ? '' : JSON.stringify(calls),
    };
    state.addOutput(content, null, stamp);
    readCohereEnd(state, response, stamp);
  },
};

/** The last line repeats the whole answer, and `tool-calls-generation` whole calls: not read. */
function readEvents(state: ReadingState): ReadObject {
  return (event, stamp) => {
    const content = noContent();
    switch (event['event_type']) {
      case 'text-generation':
        content.answer = asText(event['text']) ?? '';
        break;
      case 'tool-calls-chunk': {
        const call = asObject(event['tool_call_delta']);
        content.toolCall = (asText(call?.['name']) ?? '') + (asText(call?.['parameters']) ?? '');
        content.reasoning = asText(event['text']) ?? '';
        break;
      }
      case 'stream-end': {
        const response = asObject(event['response']);
        readCohereEnd(
          state,
          { finish_reason: event['finish_reason'], meta: response?.['meta'] },
          stamp,
        );
        state.sawTerminal(stamp.atNs);
        return;
      }
      default:
        return;
    }
    state.sawChoices(stamp.atNs);
    state.addOutput(content, null, stamp);
  };
}

const ROLES = { user: 'USER', assistant: 'CHATBOT', system: 'SYSTEM' } as const;

/** The last message apart from what was said before. */
function conversation(messages: readonly SaidMessage[]): Body {
  const { system, others } = systemApart(messages);
  const history = others.slice(0, -1);
  return {
    ...field('preamble', system),
    chat_history: history.map(({ role, content }) => ({ role: ROLES[role], message: content })),
    message: others.at(-1)?.content ?? '',
  };
}
