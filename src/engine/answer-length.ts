import { randomLogNormal } from 'd3-random';
import type { RandomSource } from '../base/index.ts';

/** Natural answers: the second mission document's lognormal lengths. */
const MEDIAN_TOKENS = 200;
const SIGMA = 0.7;

/** What a request says about the length of its answer. */
export interface AnswerLimits {
  /** ≥ 1. */
  readonly maxTokens: number;
  readonly minTokens: number;
  /** The answer goes on to `maxTokens`, whatever the model would do. */
  readonly ignoreEos: boolean;
}

export interface AnswerLength {
  /** ≥ 1. */
  readonly outputTokens: number;
  /** `length` when the answer was cut at the limit. */
  readonly finishReason: 'stop' | 'length';
}

/**
 * How long a model that is only imitated answers: exactly `maxTokens` where the end of the answer
 * is ignored; else it ends by itself (`stop`) or at the limit (`length`). Draws either way, so that
 * what is drawn next does not depend on the limits.
 */
export function drawAnswerLength(limits: AnswerLimits, random: RandomSource): AnswerLength {
  const naturalTokens = Math.round(
    randomLogNormal.source(random)(Math.log(MEDIAN_TOKENS), SIGMA)(),
  );
  const { minTokens, maxTokens, ignoreEos } = limits;
  if (ignoreEos) return forcedAnswerLength(maxTokens);
  const wantedTokens = Math.max(1, minTokens, naturalTokens);
  return {
    outputTokens: Math.min(wantedTokens, maxTokens),
    finishReason: wantedTokens <= maxTokens ? 'stop' : 'length',
  };
}

/** An answer that goes on to `maxTokens`, whatever the model would do. */
export function forcedAnswerLength(maxTokens: number): AnswerLength {
  return { outputTokens: maxTokens, finishReason: 'length' };
}
