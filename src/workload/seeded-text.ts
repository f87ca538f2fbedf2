/** Text of so many words that depends on a seed alone. */
import { assert, randomStream } from '../base/index.ts';
import { WORDS } from './words.ts';

/** Fewest words that texts may be made of: {@link SEED_WORDS} of them still spell every seed. */
export const LEAST_WORDS = 512;

/**
 * Words that spell a whole seed, at the start of every seeded text. No two seeds share them, so
 * no prefix cache can serve one prompt from another, however few tokens its blocks hold. Prompts
 * of fewer words than this may repeat.
 */
export const SEED_WORDS = Math.ceil(53 / Math.log2(LEAST_WORDS));

/**
 * `count` words with blanks between: first the seed, spelled, then a stretch of one long text from
 * a place that the seed names. Fewer words are the start of more. A stretch is not made but cut out,
 * so that a prompt of 100,000 words takes no longer than it takes to send.
 */
export function seededText(
  seed: number,
  count: number,
  vocabulary: readonly string[] = WORDS,
): string {
  const spelled: string[] = [];
  let left = seed;
  while (spelled.length < Math.min(count, SEED_WORDS)) {
    spelled.push(vocabulary[left % vocabulary.length] as string);
    left = Math.floor(left / vocabulary.length);
  }
  const start = spelled.join(' ');
  if (count <= SEED_WORDS) return start;
  const from = Math.floor(randomStream(seed, 'words')() * LONG_TEXT_WORDS);
  return start + longTextOf(vocabulary).stretch(from, count - SEED_WORDS);
}

const LONG_TEXT_WORDS = 2 ** 16;

/** Random words, each after a blank, that are read in a ring. */
class LongText {
  readonly #text: string;
  /** Where each word's blank is; one more for the end. */
  readonly #places = new Uint32Array(LONG_TEXT_WORDS + 1);

  constructor(vocabulary: readonly string[]) {
    assert(vocabulary.length >= LEAST_WORDS, `${vocabulary.length} words are too few for a text`);
    const random = randomStream(0, 'long-text');
    const words: string[] = [];
    let length = 0;
    for (let at = 0; at < LONG_TEXT_WORDS; at += 1) {
      const word = ` ${vocabulary[Math.floor(random() * vocabulary.length)]}`;
      words.push(word);
      length += word.length;
      this.#places[at + 1] = length;
    }
    this.#text = words.join('');
  }

  /** `count` words from the word `from` on. */
  stretch(from: number, count: number): string {
    const end = from + count;
    if (end <= LONG_TEXT_WORDS) return this.#cut(from, end);
    const whole = Math.floor((end - LONG_TEXT_WORDS) / LONG_TEXT_WORDS);
    const rest = (end - LONG_TEXT_WORDS) % LONG_TEXT_WORDS;
    return this.#cut(from, LONG_TEXT_WORDS) + this.#text.repeat(whole) + this.#cut(0, rest);
  }

  #cut(from: number, to: number): string {
    return this.#text.slice(this.#places[from], this.#places[to]);
  }
}

/** One for each list of words, made when it is first asked for: some 20 ms. */
const LONG_TEXTS = new WeakMap<readonly string[], LongText>();

function longTextOf(vocabulary: readonly string[]): LongText {
  const known = LONG_TEXTS.get(vocabulary);
  if (known !== undefined) return known;
  const made = new LongText(vocabulary);
  LONG_TEXTS.set(vocabulary, made);
  return made;
}
