/** `POST /responses` of OpenAI and those who copy it: named events, one final response object. */
import type { OutputKind, Usage } from '../record/index.ts';
import { jsonMessages, type AnswerFormat, type ReadObject } from './answer-format.ts';
import { createAnswerReader } from './answer-reader.ts';
import { noContent } from './choice-content.ts';
import { postTo, V1_API } from './dialect-base.ts';
import type { Dialect } from './dialect.ts';
import { finishReasonOf } from './finish-reason.ts';
import { asArray, asCount, asObject, asText, type JsonObject } from './json-object.ts';
import type { ReadingState, ReadStamp } from './reading-state.ts';
import { field, promptFields, requestBody } from './request-body.ts';
import { announcedError } from './server-error.ts';
import { SseDecoder } from './sse.ts';

const NAME = 'responses';

/** Events whose `delta` is generated text. Their `….done` counterparts repeat it. */
const DELTAS: Readonly<Record<string, OutputKind>> = {
  'response.output_text.delta': 'answer',
  'response.refusal.delta': 'refusal',
  'response.reasoning_text.delta': 'reasoning',
  'response.reasoning_summary_text.delta': 'reasoning',
  'response.function_call_arguments.delta': 'toolCall',
  'response.custom_tool_call_input.delta': 'toolCall',
  'response.mcp_call_arguments.delta': 'toolCall',
  'response.code_interpreter_call_code.delta': 'toolCall',
};

export const openAiResponses: Dialect = {
  ...V1_API,
  name: NAME,
  title: 'OpenAI Responses',
  keyEnv: 'OPENAI_API_KEY',
  buildBody: (intent) =>
    requestBody(intent, {
      dialect: NAME,
      needed: {
        ...field('model', intent.model),
        ...promptFields(intent.prompt, NAME, {
          ofText: (input) => ({ input }),
          ofMessages: (input) => ({ input }),
        }),
        ...field('max_output_tokens', intent.maxTokens),
        stream: intent.stream,
      },
      refused: {
        background: {
          allowed: false,
          because: 'a background response is not streamed as it is made',
        },
      },
      exactLength: false,
    }),
  post: postTo('/responses'),
  createReader: (options) => createAnswerReader(FORMAT, options),
};

const FORMAT: AnswerFormat = {
  framing: (limits) => new SseDecoder(limits),
  ends: 'mark',
  message: (state) => jsonMessages(state, readEvents(state)),
  body: (state) => (response, stamp) => {
    readWhole(state, response, stamp);
    readEnd(state, response, stamp);
  },
};

function readEvents(state: ReadingState): ReadObject {
  return (event, stamp, name) => {
    const type = asText(event['type']) ?? name ?? '';
    const kind = Object.hasOwn(DELTAS, type) ? DELTAS[type] : undefined;
    const response = asObject(event['response']);
    if (kind !== undefined) {
      state.sawChoices(stamp.atNs);
      state.addOutput({ ...noContent(), [kind]: asText(event['delta']) ?? '' }, null, stamp);
    } else if (type === 'error') {
      state.failByServer(asObject(event['error']) ?? event);
    } else if (response !== null && isOver(response)) {
      readEnd(state, response, stamp);
      state.sawTerminal(stamp.atNs);
    }
  };
}

function isOver({ status }: JsonObject): boolean {
  return typeof status === 'string' && !['queued', 'in_progress'].includes(status);
}

/** Status, reason and usage of a response that is over. */
function readEnd(state: ReadingState, response: JsonObject, stamp: ReadStamp): void {
  const usage = usageOf(response['usage']);
  if (usage !== null) state.sawUsage(usage, null, stamp.atNs);
  const error = announcedError(response);
  if (error !== null || response['status'] === 'failed') {
    state.failByServer(error ?? { code: 'failed' });
    return;
  }
  const reason = asObject(response['incomplete_details'])?.['reason'] ?? response['status'];
  const finish = finishReasonOf(reason);
  if (finish !== null) state.sawFinish(finish, stamp.atNs);
}

/** The output of a response that came as one body. */
function readWhole(state: ReadingState, response: JsonObject, stamp: ReadStamp): void {
  const content = noContent();
  for (const entry of asArray(response['output']) ?? []) {
    const item = asObject(entry);
    for (const value of asArray(item?.['content']) ?? []) {
      const part = asObject(value);
      const kind = item?.['type'] === 'reasoning' ? 'reasoning' : 'answer';
      content[kind] += asText(part?.['text']) ?? '';
      content.refusal += asText(part?.['refusal']) ?? '';
    }
    for (const value of asArray(item?.['summary']) ?? []) {
      content.reasoning += asText(asObject(value)?.['text']) ?? '';
    }
    content.toolCall += asText(item?.['arguments']) ?? asText(item?.['input']) ?? '';
  }
  state.sawChoices(stamp.atNs);
  state.addOutput(content, null, stamp);
}

function usageOf(value: unknown): Usage | null {
  const usage = asObject(value);
  if (usage === null) return null;
  return {
    promptTokens: asCount(usage['input_tokens']),
    completionTokens: asCount(usage['output_tokens']),
    reasoningTokens: asCount(asObject(usage['output_tokens_details'])?.['reasoning_tokens']),
    cachedPromptTokens: asCount(asObject(usage['input_tokens_details'])?.['cached_tokens']),
  };
}
