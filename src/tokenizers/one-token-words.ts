/** Words of which a text of exactly so many tokens can be made. */
import type { Tokenizer } from './tokenizer.ts';

/**
 * Those of `candidates` that are one token both at the start of a text and after a blank. Where no
 * token joins words, n of them with blanks between are n tokens in any order: each is cut off from
 * its neighbours, whatever the order of merging. `null` when there are fewer than `least`, when words
 * may be joined, or when counting, encoding and decoding a text of them all do not agree.
 */
export function oneTokenWords(
  tokenizer: Pick<Tokenizer, 'joinsWords' | 'count' | 'encode' | 'decode'>,
  candidates: readonly string[],
  least: number,
): readonly string[] | null {
  if (tokenizer.joinsWords) return null;
  const words = candidates.filter(
    (word) => tokenizer.count(word) === 1 && tokenizer.count(` ${word}`) === 1,
  );
  if (words.length < least) return null;
  const text = words.join(' ');
  const ids = tokenizer.encode(text);
  const agrees =
    ids.length === words.length &&
    tokenizer.count(text) === words.length &&
    tokenizer.decode(ids) === text;
  return agrees ? words : null;
}
