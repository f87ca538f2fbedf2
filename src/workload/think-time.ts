/** Draws of think times. */
import { randomExponential } from 'd3-random';
import type { RandomSource } from '../base/index.ts';
import type { ThinkTime } from './session-spec.ts';

/** Gives the next think time, in whole nanoseconds. */
export type ThinkDraw = () => number;

export function createThinkDraw({ kind, meanNs }: ThinkTime, random: RandomSource): ThinkDraw {
  if (kind === 'fixed') return () => Math.round(meanNs);
  const unit = randomExponential.source(random)(1);
  return () => Math.round(unit() * meanNs);
}
