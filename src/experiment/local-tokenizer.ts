/** The tokenizer that a target's spec names, and what a run makes of it. */
import type { AnswerCounter } from '../client/index.ts';
import type { TargetSpec } from '../config/index.ts';
import type { LocalCounting } from '../record/index.ts';
import { createTallies, oneTokenWords, openTokenizer } from '../tokenizers/index.ts';
import { LEAST_WORDS, PROMPT_WORDS } from '../workload/index.ts';

export interface LocalTokenizer {
  readonly identity: Omit<LocalCounting, 'judged'>;
  /** Counts answers as they are read. */
  readonly counter: AnswerCounter;
  count(text: string): number;
  /** One token each, for prompts of exact length; `null`: it has too few such words of ours. */
  readonly words: readonly string[] | null;
}

/**
 * `null` when the target names none.
 * Errors: as `openTokenizer` has them.
 */
export async function openLocalTokenizer(
  { tokenizer: source }: Pick<TargetSpec, 'tokenizer'>,
  readText: (path: string) => string,
): Promise<LocalTokenizer | null> {
  if (source === null) return null;
  const tokenizer = await openTokenizer(source, readText);
  const { name, sha256, reader } = tokenizer;
  return {
    identity: { tokenizer: name, sha256, reader },
    counter: { tokenizer: name, tally: createTallies(tokenizer) },
    count: (text) => tokenizer.count(text),
    words: oneTokenWords(tokenizer, PROMPT_WORDS, LEAST_WORDS),
  };
}
