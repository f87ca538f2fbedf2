import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { traceIdOf } from './trace-choice.ts';

const chosenBy = (traceShare: number, seed: number, runId = 'run') => {
  const tracing = { traceShare, seeds: { arrivals: seed, lengths: 1, prompts: 1 } };
  return Array.from({ length: 2_000 }, (_, index) =>
    traceIdOf({ index }, `${runId}/${index}`, tracing),
  );
};
const places = (ids: readonly (string | null)[]): number[] =>
  ids.flatMap((id, index) => (id === null ? [] : [index]));

describe('the choice of traced requests', () => {
  it('takes about the share that was asked for, none of none and all of all', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 31 }),
        fc.constantFrom(0.01, 0.1, 0.5),
        (seed, share) => {
          // Five standard deviations of a binomial count: less than one seed in a million misses it.
          const spread = 5 * Math.sqrt(2_000 * share * (1 - share));
          expect(Math.abs(places(chosenBy(share, seed)).length - 2_000 * share)).toBeLessThan(
            spread,
          );
        },
      ),
      { numRuns: 20 },
    );
    expect(places(chosenBy(0, 7))).toEqual([]);
    expect(places(chosenBy(1, 7))).toHaveLength(2_000);
  });

  it('is the seed’s: the same in another run, whose traces are still its own', () => {
    const [one, other] = [chosenBy(0.1, 7, 'one'), chosenBy(0.1, 7, 'other')];
    expect(places(one)).toEqual(places(other));
    expect(places(chosenBy(0.1, 8))).not.toEqual(places(one));
    const ids = [...one, ...other].filter((id) => id !== null);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
  });

  it('only grows with the share: what was traced at 1 % is at 10 %', () => {
    const wide = new Set(places(chosenBy(0.1, 7)));
    expect(places(chosenBy(0.01, 7)).every((index) => wide.has(index))).toBe(true);
  });
});
