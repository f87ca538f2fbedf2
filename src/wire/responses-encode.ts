/** The server's side of OpenAI Responses, for the emulator. One message item per answer. */
import type { FinishReason, OutputKind, Usage } from '../record/index.ts';
import type { AnswerEncoder, FullAnswerHead, WholeAnswer } from './answer-encoder.ts';

const DELTA_TYPES: Readonly<Record<OutputKind, string>> = {
  answer: 'response.output_text.delta',
  refusal: 'response.refusal.delta',
  reasoning: 'response.reasoning_text.delta',
  toolCall: 'response.function_call_arguments.delta',
};

/** Why a response is incomplete; null for one that is complete. */
const INCOMPLETE: Readonly<Record<FinishReason, string | null>> = {
  stop: null,
  length: 'max_output_tokens',
  toolCalls: null,
  contentFilter: 'content_filter',
  other: 'other',
};

/** There is no per-event usage in this dialect: the final response tells it. */
export function createResponsesEncoder(head: FullAnswerHead): AnswerEncoder {
  const { id, createdSeconds: created_at, model } = head;
  const item_id = `msg_${id}`;
  const base = { id, object: 'response', created_at, model };
  const item = { id: item_id, type: 'message', role: 'assistant' };
  const place = { item_id, output_index: 0, content_index: 0 };
  let sequence = 0;
  let answerText = '';
  const event = (type: string, fields: Readonly<Record<string, unknown>>): string => {
    const data = JSON.stringify({ type, sequence_number: sequence, ...fields });
    sequence += 1;
    return `event: ${type}\ndata: ${data}\n\n`;
  };
  const over = (reason: FinishReason, usage: Usage | null, output: readonly unknown[]) => {
    const why = INCOMPLETE[reason];
    return {
      ...base,
      status: why === null ? 'completed' : 'incomplete',
      incomplete_details: why === null ? null : { reason: why },
      error: null,
      output,
      usage: usage === null ? null : usageOf(usage),
    };
  };
  const begun = { ...base, status: 'in_progress', output: [], usage: null };
  return {
    mediaType: 'text/event-stream; charset=utf-8',
    open: () =>
      event('response.created', { response: begun }) +
      event('response.in_progress', { response: begun }) +
      event('response.output_item.added', {
        output_index: 0,
        item: { ...item, status: 'in_progress', content: [] },
      }) +
      event('response.content_part.added', { ...place, part: textPart('') }),
    start: () => '',
    output: (kind, text) => {
      if (kind === 'answer') answerText += text;
      return event(DELTA_TYPES[kind], { ...place, delta: text });
    },
    end: ({ finishReason, usage }) => {
      const part = textPart(answerText);
      const done = { ...item, status: 'completed', content: [part] };
      const response = over(finishReason, usage, [done]);
      return {
        finish:
          event('response.output_text.done', { ...place, text: answerText }) +
          event('response.content_part.done', { ...place, part }) +
          event('response.output_item.done', { output_index: 0, item: done }),
        rest: event(`response.${response.status}`, { response }),
      };
    },
    body: ({ content, finishReason, usage }) =>
      JSON.stringify(over(finishReason, usage, itemsOf(content, item))),
    errorEvent: ({ message, type, code }) => event('error', { code: code ?? type, message }),
  };
}

/** The output of a whole response, one item per kind; the message comes last. */
function itemsOf(content: WholeAnswer['content'], message: object): readonly unknown[] {
  const { reasoning = '', refusal = '', toolCall = '', answer = '' } = content;
  const items: unknown[] = [];
  if (reasoning !== '') {
    items.push({ type: 'reasoning', content: [{ type: 'reasoning_text', text: reasoning }] });
  }
  if (toolCall !== '') items.push({ type: 'function_call', arguments: toolCall });
  const parts: unknown[] = answer === '' ? [] : [textPart(answer)];
  if (refusal !== '') parts.push({ type: 'refusal', refusal });
  return [...items, { ...message, status: 'completed', content: parts }];
}

function textPart(text: string) {
  return { type: 'output_text', text, annotations: [] };
}

function usageOf(usage: Usage) {
  const { promptTokens, completionTokens, cachedPromptTokens, reasoningTokens } = usage;
  return {
    input_tokens: promptTokens,
    ...(cachedPromptTokens === null
      ? {}
      : { input_tokens_details: { cached_tokens: cachedPromptTokens } }),
    output_tokens: completionTokens,
    ...(reasoningTokens === null
      ? {}
      : { output_tokens_details: { reasoning_tokens: reasoningTokens } }),
    total_tokens: (promptTokens ?? 0) + (completionTokens ?? 0),
  };
}
