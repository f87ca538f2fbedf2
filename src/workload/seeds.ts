/** Seeds derived from those of the whole run. */
import { randomStream } from '../base/index.ts';
import type { ScheduleSeeds } from './spec.ts';

/** Distinct prompts need distinct seeds: 53 bits, drawn from a stream. */
export function drawSeed(random: () => number): number {
  return Math.floor(random() * 2 ** 53);
}

/**
 * The seeds of one load point of a sweep. Points must not share them: equal prompts at two points
 * would let the second be served from the prefix cache, and equal arrivals would make the same
 * lucky or unlucky burst look like a trend.
 */
export function seedsOfPoint(seeds: ScheduleSeeds, pointIndex: number): ScheduleSeeds {
  const derive = (seed: number): number => drawSeed(randomStream(seed, `point/${pointIndex}`));
  return {
    arrivals: derive(seeds.arrivals),
    lengths: derive(seeds.lengths),
    prompts: derive(seeds.prompts),
    text: derive(seeds.text),
  };
}
