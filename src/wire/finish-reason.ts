import type { FinishReason } from '../record/index.ts';

const REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  complete: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'toolCalls',
  function_call: 'toolCalls',
  tool_use: 'toolCalls',
  content_filter: 'contentFilter',
  safety: 'contentFilter',
};

/**
 * A server's finish reason in the record's vocabulary. `null` when there is none: absent, or the
 * empty text that older SGLang sends in every chunk.
 */
export function finishReasonOf(value: unknown): FinishReason | null {
  if (typeof value !== 'string' || value === '') return null;
  return REASONS[value.toLowerCase()] ?? 'other';
}
