import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LEAST_WORDS, SEED_WORDS, seededText } from './seeded-text.ts';
import { WORDS } from './words.ts';

const seeds = fc.integer({ min: 0, max: 2 ** 53 - 1 });
const lengths = fc.integer({ min: 1, max: 3_000 });
const vocabularies = fc.constantFrom(WORDS, WORDS.slice(0, 912), WORDS.slice(0, LEAST_WORDS));

describe('seeded text', () => {
  test('has the words asked for, all of the vocabulary, and fewer are the start of more', () => {
    fc.assert(
      fc.property(seeds, lengths, lengths, vocabularies, (seed, one, other, words) => {
        const [short, long] = [Math.min(one, other), Math.max(one, other)];
        const text = seededText(seed, long, words);
        const drawn = text.split(' ');
        expect(drawn).toHaveLength(long);
        expect(drawn.every((word) => words.includes(word))).toBe(true);
        expect(`${text} `.startsWith(`${seededText(seed, short, words)} `)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('no two seeds begin alike, even with the fewest words', () => {
    const words = WORDS.slice(0, LEAST_WORDS);
    fc.assert(
      fc.property(seeds, seeds, (one, other) => {
        const [a, b] = [one, other].map((seed) => seededText(seed, SEED_WORDS, words));
        expect(a === b).toBe(one === other);
      }),
    );
    expect(LEAST_WORDS ** SEED_WORDS).toBeGreaterThanOrEqual(2 ** 53);
  });

  test('goes on beyond the text it is cut from', () => {
    for (const words of [2 ** 16, 2 ** 17 + 5, 200_000]) {
      expect(seededText(7, words).split(' ')).toHaveLength(words);
    }
  });

  test('is the same in every process', () => {
    expect(seededText(5, 10)).toBe(seededText(5, 10, [...WORDS]));
  });
});
