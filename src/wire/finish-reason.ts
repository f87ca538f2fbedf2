import type { FinishReason } from '../record/index.ts';

const WORDS: Readonly<Record<FinishReason, string>> = {
  stop: 'stop eos eos_token end_turn stop_sequence complete completed finish endoftext word done',
  length:
    'length max_tokens max_output_tokens model_length token_limit limit max_length ' +
    'model_context_window_exceeded error_limit',
  toolCalls: 'tool_calls tool_call function_call tool_use',
  contentFilter:
    'content_filter content_filtered safety guardrail_intervened refusal recitation blocklist ' +
    'prohibited_content spii image_safety error_toxic',
  other: '',
};

const REASONS: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries(WORDS).flatMap(([reason, words]) =>
    words.split(' ').map((word) => [word, reason as FinishReason] as const),
  ),
);

/**
 * A server's finish reason in the record's vocabulary. `null` when there is none: absent, or the
 * empty text that older SGLang sends in every chunk.
 */
export function finishReasonOf(value: unknown): FinishReason | null {
  if (typeof value !== 'string' || value === '') return null;
  return REASONS.get(value.toLowerCase()) ?? 'other';
}
