/**
 * `tokenizers` †: tokens of a text, counted here. `open-tokenizer.ts` opens an OpenAI vocabulary or
 * any `tokenizer.json`, each through an optional package that is loaded when first asked for;
 * `text-tally.ts` counts a text that comes in pieces; `one-token-words.ts` finds the words that
 * prompts of exact length are made of.
 */
export * from './one-token-words.ts';
export * from './open-tokenizer.ts';
export * from './text-tally.ts';
export * from './tokenizer.ts';
