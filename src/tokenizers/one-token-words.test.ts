import { describe, expect, test } from 'vitest';
import { tinyTokenizerJson } from '../../test/support/tiny-tokenizer.ts';
import { randomStream } from '../base/index.ts';
import { WORDS as PROMPT_WORDS } from '../workload/words.ts';
import { oneTokenWords } from './one-token-words.ts';
import { openTokenizer } from './open-tokenizer.ts';

const WORDS = ['the', 'cat', 'sat', 'dog', 'ran'];
const tiny = (json: string) => openTokenizer({ kind: 'file', path: 't.json' }, () => json);

describe('words that are one token each', () => {
  test('at the start and after a blank', async () => {
    const tokenizer = await tiny(tinyTokenizerJson(['the', 'cat', 'sat']));
    expect(oneTokenWords(tokenizer, WORDS, 3)).toEqual(['the', 'cat', 'sat']);
    const text = 'sat the the cat sat';
    expect(tokenizer.count(text)).toBe(5);
  });

  test('too few of them are none', async () => {
    const tokenizer = await tiny(tinyTokenizerJson(['the', 'cat']));
    expect(oneTokenWords(tokenizer, WORDS, 3)).toBeNull();
  });

  test('words that merge with one another are none', async () => {
    // Without a pre-tokenizer nothing keeps `the cat` from being one token.
    const json = JSON.parse(tinyTokenizerJson(WORDS)) as {
      model: { vocab: Record<string, number>; merges: string[] };
    };
    json.model.vocab['theĠcat'] = 5_000;
    json.model.merges.push('the Ġcat');
    const merging = JSON.stringify({
      ...json,
      pre_tokenizer: { type: 'ByteLevel', use_regex: false },
    });
    const tokenizer = await tiny(merging);
    expect(tokenizer.count('the cat')).toBe(1);
    expect(oneTokenWords(tokenizer, WORDS, 3)).toBeNull();
  });

  test('most of the words of our prompts, in every vocabulary of OpenAI', async () => {
    const random = randomStream(1, 'order');
    for (const vocabulary of ['o200k_base', 'cl100k_base', 'r50k_base']) {
      const tokenizer = await openTokenizer({ kind: 'gpt', vocabulary }, () => '');
      const words = oneTokenWords(tokenizer, PROMPT_WORDS, 512) ?? [];
      expect(words.length).toBeGreaterThan(800);
      for (const length of [1, 2, 1_000, 10_000]) {
        const drawn = Array.from({ length }, () => words[Math.floor(random() * words.length)]);
        expect(tokenizer.count(drawn.join(' '))).toBe(length);
      }
    }
  });
});
