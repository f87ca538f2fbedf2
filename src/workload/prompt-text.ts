/**
 * Prompts as text, made at send time from the schedule's recipe. A pure function of the recipe,
 * the source and the calibration: the schedule need not hold gigabytes of text.
 */
import { assert, assertNever, randomStream } from '../base/index.ts';
import type { PromptRecipe } from './schedule.ts';
import { drawSeed } from './seeds.ts';
import type { PromptSource } from './spec.ts';
import { WORD_BITS, WORDS } from './words.ts';

/** How words become prompt tokens on one target, as the preflight measured it. */
export interface PromptCalibration {
  readonly tokensPerWord: number;
  /** Tokens of an empty prompt: chat template and start token. */
  readonly overheadTokens: number;
}

/** One token a word and nothing around it: close for most tokenizers, before measuring. */
export const UNCALIBRATED: PromptCalibration = { tokensPerWord: 1, overheadTokens: 0 };

/** What a request carries: text to put into a body, or a body as the source gave it. */
export type PromptContent =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'body';
      readonly body: Readonly<Record<string, unknown>>;
      readonly headers: Readonly<Record<string, string>>;
    };

/**
 * Words that spell a whole seed, at the start of every seeded text. No two seeds share them, so
 * no prefix cache can serve one prompt from another, however few tokens its blocks hold. Prompts
 * of fewer words than this may repeat.
 */
export const SEED_WORDS = Math.ceil(53 / WORD_BITS);

/** Makes the content of one request. The recipe must come from a schedule over this source. */
export function makePrompt(
  recipe: PromptRecipe,
  source: PromptSource,
  calibration: PromptCalibration,
): PromptContent {
  switch (recipe.kind) {
    case 'synthetic':
      return { kind: 'text', text: syntheticText(recipe, calibration) };
    case 'blocks':
      return { kind: 'text', text: blocksText(recipe, calibration) };
    case 'prompt': {
      assert(source.kind === 'prompts', `a prompt recipe needs a prompt file, not ${source.kind}`);
      const entry = source.entries[recipe.entry];
      assert(entry !== undefined, `the prompt file has no entry ${recipe.entry}`);
      if (recipe.uniqueSeed === null) return { kind: 'text', text: entry.text };
      const line = seededWords(recipe.uniqueSeed, SEED_WORDS).join(' ');
      return { kind: 'text', text: `${line}\n${entry.text}` };
    }
    case 'body': {
      assert(source.kind === 'bodies', `a body recipe needs raw bodies, not ${source.kind}`);
      const entry = source.entries[recipe.entry];
      assert(entry !== undefined, `the bodies file has no entry ${recipe.entry}`);
      return { kind: 'body', body: entry.body, headers: entry.headers };
    }
    default:
      return assertNever(recipe);
  }
}

/** Words that come nearest to `tokens` prompt tokens on the target; at least one. */
export function promptWordsFor(tokens: number, calibration: PromptCalibration): number {
  return wordsFor(tokens - calibration.overheadTokens, calibration);
}

/** What a server counted for a prompt of known words. */
export interface CountedPrompt {
  readonly words: number;
  readonly promptTokens: number;
}

/** The line through two prompts that the server counted: one short, one long. */
export function calibrate(short: CountedPrompt, long: CountedPrompt): PromptCalibration {
  assert(long.words > short.words, 'a calibration needs two prompts of different length');
  const tokensPerWord = (long.promptTokens - short.promptTokens) / (long.words - short.words);
  assert(tokensPerWord > 0, 'more words are more tokens');
  return { tokensPerWord, overheadTokens: short.promptTokens - tokensPerWord * short.words };
}

/** A text of `words` words to measure a calibration with; no other seed's text starts like it. */
export function calibrationText(seed: number, words: number): string {
  return seededWords(seed, words).join(' ');
}

function wordsFor(tokens: number, calibration: PromptCalibration): number {
  return Math.max(1, Math.round(tokens / calibration.tokensPerWord));
}

/** The shared text, if any, then words of the request's own seed. */
function syntheticText(
  recipe: Extract<PromptRecipe, { kind: 'synthetic' }>,
  calibration: PromptCalibration,
): string {
  const total = promptWordsFor(recipe.tokens, calibration);
  if (recipe.sharedId === null) return seededWords(recipe.seed, total).join(' ');
  const sharedCount = Math.min(total, wordsFor(recipe.sharedTokens, calibration));
  // Hashed, because the seed words of small numbers would all start alike.
  const sharedSeed = drawSeed(randomStream(recipe.sharedId, 'shared-prefix'));
  const shared = seededWords(sharedSeed, sharedCount);
  return [...shared, ...seededWords(recipe.seed, total - sharedCount)].join(' ');
}

/** Every block is a function of its id alone; the last one takes what is left of the length. */
function blocksText(
  recipe: Extract<PromptRecipe, { kind: 'blocks' }>,
  calibration: PromptCalibration,
): string {
  const perBlock = wordsFor(recipe.blockTokens, calibration);
  const last = recipe.blockIds.length - 1;
  let left = promptWordsFor(recipe.tokens, calibration);
  const blocks: string[] = [];
  for (const [at, id] of recipe.blockIds.entries()) {
    const count = at === last ? left : Math.min(perBlock, left);
    if (count > 0) blocks.push(seededWords(id, count).join(' '));
    left -= count;
  }
  return blocks.join(' ');
}

/** As many as fit into the 32 bits that fast integer arithmetic has. */
const WORDS_A_DRAW = 3;

/** `count` words that depend on `seed` alone; fewer words are a prefix of more. */
function seededWords(seed: number, count: number): string[] {
  const words: string[] = [];
  let spelled = seed;
  while (words.length < Math.min(count, SEED_WORDS)) {
    words.push(WORDS[spelled % WORDS.length] as string);
    spelled = Math.floor(spelled / WORDS.length);
  }
  const random = randomStream(seed, 'words');
  while (words.length < count) {
    let bits = Math.floor(random() * 2 ** (WORDS_A_DRAW * WORD_BITS));
    for (let i = 0; i < WORDS_A_DRAW && words.length < count; i += 1) {
      words.push(WORDS[bits % WORDS.length] as string);
      bits >>>= WORD_BITS;
    }
  }
  return words;
}
