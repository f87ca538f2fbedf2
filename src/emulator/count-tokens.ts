/**
 * The emulator's tokenizer: one token per whitespace-separated word. A chat prompt has four more
 * tokens per message, as templates wrap each message in a role and end marks.
 */

/** Tokens a chat template adds to every message. */
export const TEMPLATE_TOKENS_PER_MESSAGE = 4;

const NON_SPACE = /\S+/g;

/** Words in a text. */
export function countTokens(text: string): number {
  let count = 0;
  NON_SPACE.lastIndex = 0;
  while (NON_SPACE.test(text)) count += 1;
  return count;
}

/** A stable id in [0, 128 000) per word, for clients that want to see ids. */
export function tokenIds(text: string): readonly number[] {
  return (text.match(NON_SPACE) ?? []).map((word) => {
    let hash = 0;
    for (let at = 0; at < word.length; at += 1) hash = (hash * 31 + word.charCodeAt(at)) % 2 ** 31;
    return hash % 128_000;
  });
}
