import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ProblemsError } from '../base/index.ts';
import { tinyTokenizerJson } from '../../test/support/tiny-tokenizer.ts';
import { openTokenizer } from './open-tokenizer.ts';

const nothing = (): string => '';
const gpt = (vocabulary: string) => openTokenizer({ kind: 'gpt', vocabulary }, nothing);
const file = (text: string, path = 'models/tokenizer.json') =>
  openTokenizer({ kind: 'file', path }, () => text);

/** OpenAI's cookbook, "How to count tokens with tiktoken". */
const PUBLISHED: [string, Record<string, number>][] = [
  ['antidisestablishmentarianism', { r50k_base: 5, p50k_base: 5, cl100k_base: 6, o200k_base: 6 }],
  ['2 + 2 = 4', { r50k_base: 5, p50k_base: 5, cl100k_base: 7, o200k_base: 7 }],
  ['お誕生日おめでとう', { r50k_base: 14, p50k_base: 14, cl100k_base: 9, o200k_base: 8 }],
];

/** Of the files that OpenAI publishes, as tiktoken checks them. */
const PUBLISHED_SHA256 = {
  r50k_base: '306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930',
  p50k_base: '94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069',
  cl100k_base: '223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7',
  o200k_base: '446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d',
};

describe("OpenAI's vocabularies", () => {
  test.each(Object.entries(PUBLISHED_SHA256))(
    '%s: published counts and hash',
    async (name, hash) => {
      const tokenizer = await gpt(name);
      for (const [text, counts] of PUBLISHED) expect(tokenizer.count(text)).toBe(counts[name]);
      expect(tokenizer).toMatchObject({ name, sha256: hash, reader: 'gpt-tokenizer 4.0.0' });
    },
  );

  test('ids as tiktoken has them, and back', async () => {
    const tokenizer = await gpt('cl100k_base');
    expect(tokenizer.encode('tiktoken is great!')).toEqual([83, 1609, 5963, 374, 2294, 0]);
    expect(tokenizer.decode([83, 1609, 5963, 374, 2294, 0])).toBe('tiktoken is great!');
    expect(tokenizer.count('')).toBe(0);
  });

  test('a text that spells a special token is a text', async () => {
    const tokenizer = await gpt('o200k_base');
    expect(tokenizer.count('<|endoftext|>')).toBeGreaterThan(1);
  });

  test('a model by its name; a name that nobody knows is a mistake', async () => {
    expect((await gpt('gpt-4')).name).toBe('cl100k_base');
    expect((await gpt('gpt-4o')).name).toBe('o200k_base');
    const mistake = await gpt('gpt-4p').catch((error: unknown) => error);
    expect(mistake).toBeInstanceOf(ProblemsError);
    expect((mistake as ProblemsError).problems[0]?.hint).toContain('did you mean gpt-4');
  });
});

describe('a tokenizer.json', () => {
  const text = tinyTokenizerJson(['the', 'cat', 'sat']);

  test('named by its file and the hash of its text', async () => {
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(await file(text)).toMatchObject({
      name: `tokenizer.json@${sha256.slice(0, 8)}`,
      sha256,
      reader: '@huggingface/tokenizers 0.2.0',
    });
  });

  test('counts, encodes and decodes without adding anything', async () => {
    const tokenizer = await file(text);
    expect(tokenizer.count('the cat sat')).toBe(3);
    expect(tokenizer.count('the dog')).toBe(1 + 4);
    expect(tokenizer.count('é')).toBe(2);
    expect(tokenizer.decode(tokenizer.encode('the dog é'))).toBe('the dog é');
    expect(tokenizer.encode('')).toEqual([]);
    expect(tokenizer.decode([])).toBe('');
  });

  test.each(['', '{"model": 1}', '[]'])('%j is no tokenizer', async (broken) => {
    const mistake = await file(broken).catch((error: unknown) => error);
    expect(mistake).toBeInstanceOf(ProblemsError);
    expect((mistake as ProblemsError).problems[0]?.code).toBe('E_USAGE_VALUE');
  });
});
