/** The server's side of Anthropic Messages, for the emulator. One text block per answer. */
import { assertNever } from '../base/index.ts';
import type { FinishReason, OutputKind, Usage } from '../record/index.ts';
import type { AnswerEncoder, EncodedError, FullAnswerHead, WholeAnswer } from './answer-encoder.ts';

const STOP_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  toolCalls: 'tool_use',
  contentFilter: 'refusal',
  other: 'pause_turn',
};

/** There is no per-event usage in this dialect: only the first and the last event tell any. */
export function createAnthropicEncoder(head: FullAnswerHead): AnswerEncoder {
  const { id, model, promptTokens } = head;
  const message = { id, type: 'message', role: 'assistant', model };
  return {
    mediaType: 'text/event-stream; charset=utf-8',
    open: () =>
      event('message_start', {
        message: {
          ...message,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: promptTokens, output_tokens: 0 },
        },
      }) + event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    start: () => '',
    output: (kind, text) => event('content_block_delta', { index: 0, delta: deltaOf(kind, text) }),
    end: ({ finishReason, usage }) => ({
      finish: '',
      rest:
        event('content_block_stop', { index: 0 }) +
        event('message_delta', {
          delta: { stop_reason: STOP_REASONS[finishReason], stop_sequence: null },
          ...(usage === null ? {} : { usage: usageOf(usage) }),
        }) +
        event('message_stop', {}),
    }),
    body: ({ content, finishReason, usage }: WholeAnswer) =>
      JSON.stringify({
        ...message,
        content: Object.entries(content).map(([kind, text]) => blockOf(kind as OutputKind, text)),
        stop_reason: STOP_REASONS[finishReason],
        stop_sequence: null,
        usage: usage === null ? null : usageOf(usage),
      }),
    errorEvent: (error) => `event: error\ndata: ${anthropicErrorBody(error)}\n\n`,
  };
}

/** An error in a 4xx/5xx body, and as the data of an event. */
export function anthropicErrorBody({ message, type, code }: EncodedError): string {
  return JSON.stringify({ type: 'error', error: { type, message, code } });
}

function event(type: string, fields: Readonly<Record<string, unknown>>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function deltaOf(kind: OutputKind, text: string): Record<string, unknown> {
  switch (kind) {
    case 'answer':
    case 'refusal':
      return { type: 'text_delta', text };
    case 'reasoning':
      return { type: 'thinking_delta', thinking: text };
    case 'toolCall':
      return { type: 'input_json_delta', partial_json: text };
    default:
      return assertNever(kind);
  }
}

function blockOf(kind: OutputKind, text: string): Record<string, unknown> {
  switch (kind) {
    case 'answer':
    case 'refusal':
      return { type: 'text', text };
    case 'reasoning':
      return { type: 'thinking', thinking: text, signature: '' };
    case 'toolCall':
      return { type: 'tool_use', id: 'toolu_0', name: 'tool', input: { arguments: text } };
    default:
      return assertNever(kind);
  }
}

/** `input_tokens` leaves out what was read from the cache. */
function usageOf({ promptTokens, completionTokens, cachedPromptTokens }: Usage) {
  return {
    input_tokens: (promptTokens ?? 0) - (cachedPromptTokens ?? 0),
    ...(cachedPromptTokens === null ? {} : { cache_read_input_tokens: cachedPromptTokens }),
    output_tokens: completionTokens,
  };
}
