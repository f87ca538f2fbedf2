import { assertNever, ProblemsError, usageProblem } from '../base/index.ts';
import type { Dialect, PromptInput } from './dialect.ts';
import { buildOpenAiBody } from './openai-body.ts';
import { createOpenAiReader } from './openai-reader.ts';

/** `POST /completions`: a plain prompt, answered in `choices[].text`. */
export const openAiCompletions: Dialect = {
  name: 'completions',
  path: '/completions',
  buildBody: (intent) => buildOpenAiBody(intent, promptFields(intent.prompt)),
  createReader: createOpenAiReader,
};

function promptFields(prompt: PromptInput): Record<string, unknown> {
  switch (prompt.kind) {
    case 'text':
      return { prompt: prompt.text };
    case 'messages':
      throw new ProblemsError([
        usageProblem(
          'E_CONFIG_CONFLICT',
          'the completions API takes a text, not chat messages',
          'use the chat API for prompts made of messages',
        ),
      ]);
    case 'body':
      return {};
    default:
      return assertNever(prompt);
  }
}
