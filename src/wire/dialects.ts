import type { Dialect } from './dialect.ts';
import { openAiChat } from './openai-chat.ts';
import { openAiCompletions } from './openai-completions.ts';

/** Every dialect by the name the configuration uses. */
export const DIALECTS = {
  chat: openAiChat,
  completions: openAiCompletions,
} as const satisfies Readonly<Record<string, Dialect>>;

export type DialectName = keyof typeof DIALECTS;
