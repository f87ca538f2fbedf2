import { createAnswerReader } from './answer-reader.ts';
import { postTo, V1_API } from './dialect-base.ts';
import type { Dialect } from './dialect.ts';
import { buildOpenAiBody } from './openai-body.ts';
import { openAiFormat } from './openai-reader.ts';
import { promptFields } from './request-body.ts';

const NAME = 'completions';

/** `POST /completions`: a plain prompt, answered in `choices[].text`. */
export const openAiCompletions: Dialect = {
  ...V1_API,
  name: NAME,
  title: 'OpenAI completions',
  keyEnv: 'OPENAI_API_KEY',
  exactLength: true,
  usage: 'asked',
  buildBody: (intent) =>
    buildOpenAiBody(
      NAME,
      intent,
      promptFields(intent.prompt, NAME, {
        ofText: (prompt) => ({ prompt }),
        ofMessages: null,
      }),
    ),
  post: postTo('/completions'),
  createReader: (options) => createAnswerReader(openAiFormat, options),
};
