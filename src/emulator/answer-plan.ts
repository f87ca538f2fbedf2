import { randomStream } from '../base/index.ts';
import { type AnswerLength, drawAnswerLength } from '../engine/index.ts';
import type { GenerationRequest } from './generation-request.ts';

const WORDS = (
  'time year people way day man thing woman life child world school state family student group ' +
  'country problem hand part place case week company system program question work number night ' +
  'point home water room mother area money story fact month lot right study book eye job word ' +
  'business issue side kind head house service friend father power hour game line end member law'
).split(' ');

/** What the model will say, decided before it starts. */
export interface AnswerPlan extends AnswerLength {
  /** How many of its first tokens are reasoning. */
  readonly reasoningTokens: number;
  /** Text of one token: one word, so that counting words gives back the tokens. */
  word(index: number): string;
}

/**
 * The answer to a request: a pure function of seed, prompt and request, so that the same question
 * gets the same answer at any load and in any order. With `ignore_eos` it has exactly the length
 * asked for; otherwise it ends by itself (`stop`) or at the limit (`length`).
 */
export function planAnswer(
  request: GenerationRequest,
  seed: number,
  reasoningTokens = 0,
): AnswerPlan {
  const random = randomStream(seed, `answer/${request.seed ?? ''}/${request.promptText}`);
  const length = drawAnswerLength(request, random);
  const firstWord = Math.floor(random() * WORDS.length);
  return {
    ...length,
    reasoningTokens: Math.min(reasoningTokens, length.outputTokens - 1),
    word: (index) => {
      const word = WORDS[(firstWord + index) % WORDS.length] as string;
      return index === 0 ? word : ` ${word}`;
    },
  };
}
