import { assert, assertNever } from '../base/index.ts';
import type { Dialect, PromptInput } from './dialect.ts';
import { buildOpenAiBody } from './openai-body.ts';
import { createOpenAiReader } from './openai-reader.ts';

/** `POST /chat/completions`, with the extras of Azure, vLLM, SGLang, llama.cpp, Mistral and others. */
export const openAiChat: Dialect = {
  name: 'chat',
  path: '/chat/completions',
  buildBody: (intent) => buildOpenAiBody(intent, promptFields(intent.prompt)),
  createReader: createOpenAiReader,
};

function promptFields(prompt: PromptInput): Record<string, unknown> {
  switch (prompt.kind) {
    case 'text':
      return { messages: [{ role: 'user', content: prompt.text }] };
    case 'messages':
      assert(prompt.messages.length > 0, 'a chat request needs a message');
      return { messages: prompt.messages };
    case 'body':
      return {};
    default:
      return assertNever(prompt);
  }
}
