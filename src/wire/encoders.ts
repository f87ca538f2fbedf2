/** Every dialect the emulator can speak, by the name it has among all dialects. */
import type { AnswerEncoder, EncodedError, FullAnswerHead } from './answer-encoder.ts';
import { anthropicErrorBody, createAnthropicEncoder } from './anthropic-encode.ts';
import type { DialectName } from './dialects.ts';
import { createOllamaEncoder, ollamaErrorBody } from './ollama-encode.ts';
import { createChatEncoder, createCompletionsEncoder, errorBody } from './openai-encode.ts';
import { createResponsesEncoder } from './responses-encode.ts';

/** The server's side of one dialect. */
export interface ServedDialect {
  /** Path the requests are posted to, from the root. */
  readonly path: string;
  /** What ids of answers begin with. */
  readonly idPrefix: string;
  createEncoder(head: FullAnswerHead): AnswerEncoder;
  /** An error in a 4xx/5xx body. */
  errorBody(error: EncodedError): string;
}

export const SERVED_DIALECTS = {
  chat: {
    path: '/v1/chat/completions',
    idPrefix: 'chatcmpl-',
    createEncoder: createChatEncoder,
    errorBody,
  },
  completions: {
    path: '/v1/completions',
    idPrefix: 'cmpl-',
    createEncoder: createCompletionsEncoder,
    errorBody,
  },
  responses: {
    path: '/v1/responses',
    idPrefix: 'resp_',
    createEncoder: createResponsesEncoder,
    errorBody,
  },
  anthropic: {
    path: '/v1/messages',
    idPrefix: 'msg_',
    createEncoder: createAnthropicEncoder,
    errorBody: anthropicErrorBody,
  },
  'ollama-chat': {
    path: '/api/chat',
    idPrefix: '',
    createEncoder: (head) => createOllamaEncoder('chat', head),
    errorBody: ollamaErrorBody,
  },
  'ollama-generate': {
    path: '/api/generate',
    idPrefix: '',
    createEncoder: (head) => createOllamaEncoder('generate', head),
    errorBody: ollamaErrorBody,
  },
} as const satisfies Partial<Record<DialectName, ServedDialect>>;

export type ServedDialectName = keyof typeof SERVED_DIALECTS;

export const SERVED_DIALECT_NAMES = Object.keys(SERVED_DIALECTS) as readonly ServedDialectName[];
