import { describe, expect, test } from 'vitest';
import type { LocalTokenizer } from './local-tokenizer.ts';
import { measurePrompts, type ProbedPrompt } from './prompt-calibration.ts';

const WORDS = ['the', 'cat'];
const LOCAL: LocalTokenizer = {
  identity: { tokenizer: 'o200k_base', sha256: 'ab', reader: 'gpt-tokenizer 4.0.0' },
  counter: { tokenizer: 'o200k_base', tally: () => ({ add: () => {}, total: () => 0 }) },
  count: (text) => text.split(' ').length,
  words: WORDS,
};

/** A prompt of so many words, and the server's count of it. */
const probed = (words: number, promptTokens: number | null): ProbedPrompt => ({
  words,
  text: Array.from({ length: words }, () => 'the').join(' '),
  promptTokens,
});

describe('a local tokenizer and the server', () => {
  test('count the same: lengths are exact, and the template is what is left', () => {
    expect(measurePrompts(probed(24, 31), probed(512, 519), LOCAL)).toEqual({
      calibration: { tokensPerWord: 1, overheadTokens: 7, words: WORDS },
      fit: { tokenizer: 'o200k_base', prompts: 'exact', serverPerLocal: 1, overheadTokens: 7 },
    });
  });

  test('differ: the server’s count makes the length', () => {
    const { calibration, fit } = measurePrompts(probed(24, 37), probed(512, 769), LOCAL);
    expect(calibration).toMatchObject({ tokensPerWord: 1.5, overheadTokens: 1, words: WORDS });
    expect(fit).toMatchObject({ prompts: 'calibrated', serverPerLocal: 1.5, overheadTokens: null });
  });

  test('too few words of one token', () => {
    const { calibration, fit } = measurePrompts(probed(24, 31), probed(512, 519), {
      ...LOCAL,
      words: null,
    });
    expect(calibration).toEqual({ tokensPerWord: 1, overheadTokens: 7 });
    expect(fit).toMatchObject({ prompts: 'calibrated', serverPerLocal: 1, overheadTokens: 7 });
  });

  test('a server that counts no prompts: the words alone', () => {
    expect(measurePrompts(probed(24, null), probed(512, null), LOCAL)).toEqual({
      calibration: { tokensPerWord: 1, overheadTokens: 0, words: WORDS },
      fit: {
        tokenizer: 'o200k_base',
        prompts: 'uncounted',
        serverPerLocal: null,
        overheadTokens: null,
      },
    });
  });

  test('without a tokenizer there is the line of the server, or nothing', () => {
    expect(measurePrompts(probed(24, 31), probed(512, 519), null)).toEqual({
      calibration: { tokensPerWord: 1, overheadTokens: 7 },
      fit: null,
    });
    expect(measurePrompts(probed(24, null), probed(512, null), null).calibration).toBeNull();
    expect(measurePrompts(probed(24, 40), probed(512, 40), null).calibration).toBeNull();
  });
});
