/**
 * Prompts as text, made at send time from the schedule's recipe. A pure function of the recipe,
 * the source and the calibration: the schedule need not hold gigabytes of text.
 */
import { assert, assertNever, randomStream } from '../base/index.ts';
import type { MessageRecipe, MessageText, PromptRecipe } from './schedule.ts';
import { SEED_WORDS, seededText } from './seeded-text.ts';
import { drawSeed } from './seeds.ts';
import type { PromptSource } from './spec.ts';
import { WORDS } from './words.ts';

/** How words become prompt tokens on one target, as the preflight measured it. */
export interface PromptCalibration {
  readonly tokensPerWord: number;
  /** Tokens of an empty prompt: chat template and start token. */
  readonly overheadTokens: number;
  /**
   * The words that prompts are made of, at least 512: one token each by a local tokenizer, so that
   * texts have exactly so many tokens. Left out: {@link WORDS}.
   */
  readonly words?: readonly string[];
}

/** One token a word and nothing around it: close for most tokenizers, before measuring. */
export const UNCALIBRATED: PromptCalibration = { tokensPerWord: 1, overheadTokens: 0 };

/** What a request carries: text to put into a body, or a body as the source gave it. */
export type PromptContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'messages'; readonly messages: readonly ChatMessage[] }
  | {
      readonly kind: 'body';
      readonly body: Readonly<Record<string, unknown>>;
      readonly headers: Readonly<Record<string, string>>;
    };

export interface ChatMessage {
  readonly role: MessageRecipe['role'];
  readonly content: string;
}

/** The real answer to the request with this index; `null` where it was not kept. */
export type AnswerText = (index: number) => string | null;

/**
 * Makes the content of one request. The recipe must come from a schedule over this source. Without
 * `answerText`, earlier answers are as planned.
 */
export function makePrompt(
  recipe: PromptRecipe,
  source: PromptSource,
  calibration: PromptCalibration,
  answerText: AnswerText = () => null,
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
      const line = seededText(recipe.uniqueSeed, SEED_WORDS);
      return { kind: 'text', text: `${line}\n${entry.text}` };
    }
    case 'body': {
      assert(source.kind === 'bodies', `a body recipe needs raw bodies, not ${source.kind}`);
      const entry = source.entries[recipe.entry];
      assert(entry !== undefined, `the bodies file has no entry ${recipe.entry}`);
      return { kind: 'body', body: entry.body, headers: entry.headers };
    }
    case 'conversation': {
      const messages = recipe.messages.map(({ role, text, answerOf }): ChatMessage => {
        const answer = answerOf === null ? null : answerText(answerOf);
        return { role, content: answer ?? messageText(text, source, calibration) };
      });
      return { kind: 'messages', messages };
    }
    default:
      return assertNever(recipe);
  }
}

/** One message by itself: every one of them costs the template's tokens. */
function messageText(
  text: MessageText,
  source: PromptSource,
  calibration: PromptCalibration,
): string {
  if (text.kind === 'words') {
    const count = promptWordsFor(text.tokens, calibration);
    return seededText(text.seed, count, calibration.words);
  }
  assert(source.kind === 'conversations', `a file's message needs conversations: ${source.kind}`);
  const turn = source.conversations[text.entry]?.turns[text.turn];
  assert(turn !== undefined, `no turn ${text.turn} of conversation ${text.entry}`);
  const content = turn[text.part] ?? '';
  if (text.uniqueSeed === null) return content;
  return `${seededText(text.uniqueSeed, SEED_WORDS)}\n${content}`;
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
export function calibrate(
  short: CountedPrompt,
  long: CountedPrompt,
): Omit<PromptCalibration, 'words'> {
  assert(long.words > short.words, 'a calibration needs two prompts of different length');
  const tokensPerWord = (long.promptTokens - short.promptTokens) / (long.words - short.words);
  assert(tokensPerWord > 0, 'more words are more tokens');
  return { tokensPerWord, overheadTokens: short.promptTokens - tokensPerWord * short.words };
}

/** A text of `words` words to measure a calibration with; no other seed's text starts like it. */
export function calibrationText(
  seed: number,
  words: number,
  vocabulary: readonly string[] = WORDS,
): string {
  return seededText(seed, words, vocabulary);
}

function wordsFor(tokens: number, calibration: PromptCalibration): number {
  return Math.max(1, Math.round(tokens / calibration.tokensPerWord));
}

/** The shared text, if any, then words of the request's own seed. */
function syntheticText(
  recipe: Extract<PromptRecipe, { kind: 'synthetic' }>,
  calibration: PromptCalibration,
): string {
  const { words } = calibration;
  const total = promptWordsFor(recipe.tokens, calibration);
  if (recipe.sharedId === null) return seededText(recipe.seed, total, words);
  const sharedCount = Math.min(total, wordsFor(recipe.sharedTokens, calibration));
  // Hashed, because the seed words of small numbers would all start alike.
  const sharedSeed = drawSeed(randomStream(recipe.sharedId, 'shared-prefix'));
  const shared = seededText(sharedSeed, sharedCount, words);
  if (sharedCount === total) return shared;
  return `${shared} ${seededText(recipe.seed, total - sharedCount, words)}`;
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
    if (count > 0) blocks.push(seededText(id, count, calibration.words));
    left -= count;
  }
  return blocks.join(' ');
}
