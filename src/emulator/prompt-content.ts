import { chainBlockIds, type SequenceContent } from '../engine/index.ts';
import type { AnswerPlan } from './answer-plan.ts';
import { TEMPLATE_TOKENS_PER_MESSAGE } from './count-tokens.ts';
import type { GenerationRequest } from './generation-request.ts';

/** Stands for a token no text contains: a mark of the template, or of an empty prompt. */
const MARK = '\n';

/**
 * What a prefix cache must know of a request: its words, each message followed by the marks of the
 * template, and then the words of its answer. So a conversation that goes on finds its own past.
 * Apart are requests with different models or `cache_salt`.
 */
export function promptContent(
  request: GenerationRequest,
  answer: AnswerPlan,
  place: { readonly model: string; readonly blockTokens: number },
): SequenceContent {
  const tokens = request.messages.flatMap((message) => {
    const words = message.match(/\S+/g) ?? [];
    return request.api === 'completions' ? words : [...words, ...TEMPLATE_MARKS];
  });
  while (tokens.length < request.promptTokens) tokens.push(MARK);
  for (let index = 0; index < answer.outputTokens; index += 1) {
    tokens.push(answer.word(index).trim());
  }
  return {
    salt: JSON.stringify([place.model, request.cacheSalt]),
    blockIds: chainBlockIds(tokens, place.blockTokens),
  };
}

const TEMPLATE_MARKS: readonly string[] = Array.from(
  { length: TEMPLATE_TOKENS_PER_MESSAGE },
  () => MARK,
);
