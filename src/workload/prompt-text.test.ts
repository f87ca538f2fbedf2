import { describe, expect, test } from 'vitest';
import {
  calibrate,
  calibrationText,
  makePrompt,
  promptWordsFor,
  UNCALIBRATED,
} from './prompt-text.ts';
import type { PromptRecipe } from './schedule.ts';
import type { PromptSource } from './spec.ts';
import { WORDS } from './words.ts';

const PROMPTS: PromptSource = {
  kind: 'prompts',
  path: 'p.txt',
  entries: [{ text: 'Why is the sky blue?', promptTokens: null, outputTokens: null, label: null }],
  output: { kind: 'fixed', tokens: 1 },
  order: 'sequential',
  prefix: { kind: 'unique' },
};

function words(recipe: PromptRecipe, calibration = UNCALIBRATED): string[] {
  const content = makePrompt(recipe, PROMPTS, calibration);
  return content.kind === 'text' ? content.text.split(/\s/) : [];
}

function synthetic(seed: number, tokens: number, sharedId: number | null = null, sharedTokens = 0) {
  return { kind: 'synthetic', seed, tokens, sharedId, sharedTokens } as const;
}

function blocks(blockIds: readonly number[], tokens: number) {
  return { kind: 'blocks', blockIds, blockTokens: 16, tokens } as const;
}

test('the words are distinct and lower case', () => {
  expect(new Set(WORDS).size).toBe(1_024);
  expect(WORDS).toHaveLength(1_024);
  expect(WORDS.every((word) => /^[a-z]+$/.test(word))).toBe(true);
});

describe('synthetic prompts', () => {
  test('as many words as asked, the same each time', () => {
    expect(words(synthetic(5, 300))).toHaveLength(300);
    expect(words(synthetic(5, 300))).toEqual(words(synthetic(5, 300)));
  });

  test('neighbouring seeds differ from the first word on', () => {
    expect(words(synthetic(5, 300))[0]).not.toBe(words(synthetic(6, 300))[0]);
  });

  test('the shared part comes first and is the same for its group only', () => {
    const [a, b, c] = [
      synthetic(1, 60, 0, 40),
      synthetic(2, 80, 0, 40),
      synthetic(1, 60, 1, 40),
    ].map((recipe) => words(recipe));
    expect(a).toHaveLength(60);
    expect(b).toHaveLength(80);
    expect(a?.slice(0, 40)).toEqual(b?.slice(0, 40));
    expect(a?.[40]).not.toBe(b?.[40]);
    expect(a?.[0]).not.toBe(c?.[0]);
  });

  test('a prompt shorter than the shared text is cut from it', () => {
    expect(words(synthetic(1, 10, 0, 40))).toEqual(words(synthetic(2, 40, 0, 40)).slice(0, 10));
  });
});

describe('block prompts', () => {
  test('equal leading ids give equal leading text', () => {
    const a = words(blocks([9, 4, 7], 40));
    const b = words(blocks([9, 4, 8], 48));
    expect(a).toHaveLength(40);
    expect(b).toHaveLength(48);
    expect(a.slice(0, 32)).toEqual(b.slice(0, 32));
    expect(a[32]).not.toBe(b[32]);
  });

  test('a cut last block is a prefix of the whole one', () => {
    expect(words(blocks([9, 4], 20))).toEqual(words(blocks([9, 4], 32)).slice(0, 20));
  });

  test('rounding a block to whole words does not change the length of the prompt', () => {
    const calibration = { tokensPerWord: 1.2, overheadTokens: 0 };
    expect(words(blocks([9, 4, 7], 48), calibration)).toHaveLength(40);
  });

  test('a block is the same text wherever it stands', () => {
    expect(words(blocks([9, 4], 32)).slice(16)).toEqual(words(blocks([4, 9], 32)).slice(0, 16));
  });
});

describe('entries', () => {
  test('as they are, or below a line no other prompt has', () => {
    const plain = makePrompt({ kind: 'prompt', entry: 0, uniqueSeed: null }, PROMPTS, UNCALIBRATED);
    expect(plain).toEqual({ kind: 'text', text: 'Why is the sky blue?' });
    const unique = makePrompt({ kind: 'prompt', entry: 0, uniqueSeed: 8 }, PROMPTS, UNCALIBRATED);
    expect(unique).toEqual({
      kind: 'text',
      text: expect.stringMatching(/^([a-z]+ ){5}[a-z]+\nWhy is the sky blue\?$/),
    });
  });

  test('raw bodies come back untouched', () => {
    const body = { messages: [] };
    const headers = { 'x-tenant': 'a' };
    const source: PromptSource = {
      kind: 'bodies',
      path: 'b.jsonl',
      entries: [{ body, headers, atNs: null, label: null }],
      order: 'sequential',
    };
    expect(makePrompt({ kind: 'body', entry: 0 }, source, UNCALIBRATED)).toEqual({
      kind: 'body',
      body,
      headers,
    });
  });
});

describe('calibration', () => {
  test('template overhead and tokens per word shorten the text', () => {
    const calibration = { tokensPerWord: 1.25, overheadTokens: 24 };
    expect(promptWordsFor(1_024, calibration)).toBe(800);
    expect(words(synthetic(5, 1_024), calibration)).toHaveLength(800);
    expect(promptWordsFor(10, calibration)).toBe(1);
  });

  test('two counted prompts give it', () => {
    const short = { words: 100, promptTokens: 149 };
    const long = { words: 1_100, promptTokens: 1_399 };
    expect(calibrate(short, long)).toEqual({ tokensPerWord: 1.25, overheadTokens: 24 });
  });

  test('its text has the words asked for', () => {
    expect(calibrationText(3, 100).split(' ')).toHaveLength(100);
  });
});
