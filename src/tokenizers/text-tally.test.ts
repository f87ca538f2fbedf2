import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tinyTokenizerJson } from '../../test/support/tiny-tokenizer.ts';
import { openTokenizer } from './open-tokenizer.ts';
import { createTallies } from './text-tally.ts';

const open = (vocabulary: string) => openTokenizer({ kind: 'gpt', vocabulary }, () => '');

/** Text as answers have it: words of several scripts, code, marks, breaks, other characters. */
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('The', ' answer', ' is', ', ', '. ', 'don’t', " it's", ' été'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('今天', '，', '天气', '。', 'これは', '、', ' 네', ' это'),
  },
  { weight: 2, arbitrary: fc.constantFrom('\n\n', '  ', '```', ' = x[0];', '3,000.5', '🙂', '𝔘') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
);
const answer = fc.array(piece, { minLength: 300, maxLength: 900 });

describe.each(['o200k_base', 'cl100k_base', 'r50k_base'])('%s', (name) => {
  test('piece by piece it counts what the whole has', async () => {
    const tokenizer = await open(name);
    const tallies = createTallies(tokenizer);
    fc.assert(
      fc.property(answer, (pieces) => {
        const tally = tallies();
        for (const text of pieces) tally.add(text);
        expect(tally.total()).toBe(tokenizer.count(pieces.join('')));
      }),
      { numRuns: 60 },
    );
  });
});

test('little is kept, and no step is long', () => {
  const counted: number[] = [];
  const tally = createTallies({ count: (text) => counted.push(text.length) && text.length })();
  counted.length = 0;
  tally.add('word '.repeat(2_000));
  tally.add('x'.repeat(10_000));
  expect(tally.total()).toBe(20_000);
  expect(Math.max(...counted)).toBeLessThanOrEqual(1_024);
});

test('a run that has no place to cut is not cut inside a character', () => {
  const parts: string[] = [];
  const tally = createTallies({ count: (text) => parts.push(text) && text.length })();
  parts.length = 0;
  tally.add(`x${'🙂'.repeat(2_000)}`);
  tally.total();
  expect(parts.length).toBeGreaterThan(3);
  expect(parts.every((part) => !/\p{Surrogate}/u.test(part))).toBe(true);
});

test('a tokenizer whose parts do not add up counts at the end', async () => {
  const words = ['the', 'cat', 'sat'];
  const prepends = tinyTokenizerJson(words, { normalizer: { type: 'Prepend', prepend: '_' } });
  const tokenizer = await openTokenizer({ kind: 'file', path: 't.json' }, () => prepends);
  const tally = createTallies(tokenizer)();
  for (let turn = 0; turn < 400; turn += 1) tally.add('the cat sat ');
  expect(tally.total()).toBe(tokenizer.count('the cat sat '.repeat(400)));
});
