import { anthropicMessages } from './anthropic-messages.ts';
import { bedrockConverse } from './bedrock-converse.ts';
import { bedrockInvoke } from './bedrock-invoke.ts';
import { cohereV1 } from './cohere-v1.ts';
import { cohereV2 } from './cohere-v2.ts';
import type { Dialect } from './dialect.ts';
import { gemini } from './gemini.ts';
import { llamaCppCompletion } from './llamacpp-completion.ts';
import { ollamaChat, ollamaGenerate } from './ollama.ts';
import { openAiChat } from './openai-chat.ts';
import { openAiCompletions } from './openai-completions.ts';
import { openAiResponses } from './openai-responses.ts';
import { replicate } from './replicate.ts';
import { tgiGenerate } from './tgi-generate.ts';
import { tritonGenerate } from './triton-generate.ts';
import { watsonx } from './watsonx.ts';

/** Every dialect by the name the configuration uses. */
export const DIALECTS = {
  chat: openAiChat,
  completions: openAiCompletions,
  responses: openAiResponses,
  anthropic: anthropicMessages,
  gemini,
  'cohere-v1': cohereV1,
  'cohere-v2': cohereV2,
  'bedrock-converse': bedrockConverse,
  'bedrock-invoke': bedrockInvoke,
  watsonx,
  replicate,
  'ollama-chat': ollamaChat,
  'ollama-generate': ollamaGenerate,
  llamacpp: llamaCppCompletion,
  tgi: tgiGenerate,
  triton: tritonGenerate,
} as const satisfies Readonly<Record<string, Dialect>>;

export type DialectName = keyof typeof DIALECTS;

/** The names of all dialects, the usual one first. */
export const DIALECT_NAMES = Object.keys(DIALECTS) as readonly DialectName[];
