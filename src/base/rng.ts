/**
 * Named random streams. A run has one seed; each use (arrivals, lengths, prompts, …) draws from
 * its own stream, so that changing one part of a workload never shifts the draws of another.
 */
import { createHash } from 'node:crypto';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

/** Draws uniformly from [0, 1) with 53 random bits. */
export type RandomSource = () => number;

/**
 * The stream `name` of `seed`: a pure function of both, the same on every machine. The 128 bits
 * of generator state are the SHA-256 of seed and name, so streams do not overlap in practice.
 */
export function randomStream(seed: number, name: string): RandomSource {
  const digest = createHash('sha256').update(`${seed}/${name}`).digest();
  const generator = xoroshiro128plusFromState([0, 4, 8, 12].map((at) => digest.readInt32LE(at)));
  return () => {
    // The generator's lowest bits are its weakest, so each half takes the upper ones.
    const high = generator.next() >>> 5;
    const low = generator.next() >>> 6;
    return (high * 2 ** 26 + low) / 2 ** 53;
  };
}
