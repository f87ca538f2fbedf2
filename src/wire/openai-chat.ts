import { createAnswerReader } from './answer-reader.ts';
import { postTo, V1_API } from './dialect-base.ts';
import type { Dialect } from './dialect.ts';
import { buildOpenAiBody } from './openai-body.ts';
import { openAiFormat } from './openai-reader.ts';
import { promptFields, userMessage } from './request-body.ts';

const NAME = 'chat';

/** `POST /chat/completions`, with the extras of all who speak it: see docs/guides/dialects.md. */
export const openAiChat: Dialect = {
  ...V1_API,
  name: NAME,
  title: 'OpenAI chat completions',
  keyEnv: 'OPENAI_API_KEY',
  exactLength: true,
  usage: 'asked',
  buildBody: (intent) =>
    buildOpenAiBody(
      NAME,
      intent,
      promptFields(intent.prompt, NAME, {
        ofText: userMessage,
        ofMessages: (messages) => ({ messages }),
      }),
    ),
  post: postTo('/chat/completions'),
  createReader: (options) => createAnswerReader(openAiFormat, options),
};
