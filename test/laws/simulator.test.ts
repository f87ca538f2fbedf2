/** Skipping from decision to decision changes nothing, over 10,000 random configurations. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TwoLineCost } from '../../src/engine/index.ts';
import {
  driveBatch,
  type DriveMethod,
  type RequestBlock,
  sourceOf,
  SWEEP_DEFAULTS,
  sweepRow,
  sweepTable,
} from '../../src/simulator/index.ts';
import { documentProgram, type ProgramOptions } from '../support/document-program.ts';

const CONFIGURATIONS = 9_500;
const PRESET_ROWS = 500;
const TIMEOUT_MS = 180_000;

const blockArbitrary: fc.Arbitrary<RequestBlock> = fc
  .array(
    fc.record({
      // Zeros: requests that arrive together.
      gapSeconds: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 2, noNaN: true })),
      promptTokens: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 4_000 })),
      outputTokens: fc.oneof(fc.integer({ min: 2, max: 6 }), fc.integer({ min: 2, max: 200 })),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map((requests) => {
    let nowSeconds = 0;
    return {
      count: requests.length,
      arrivalSeconds: Float64Array.from(requests, ({ gapSeconds }) => (nowSeconds += gapSeconds)),
      promptTokens: Int32Array.from(requests, ({ promptTokens }) => promptTokens),
      outputTokens: Int32Array.from(requests, ({ outputTokens }) => outputTokens),
    };
  });

const secondsBetween = (min: number, max: number): fc.Arbitrary<number> =>
  fc.double({ min, max, noNaN: true });

const costArbitrary: fc.Arbitrary<TwoLineCost> = fc.record({
  weightReadSeconds: secondsBetween(0, 0.02),
  kvReadSecondsPerToken: secondsBetween(1e-9, 1e-5),
  computeSecondsPerToken: secondsBetween(1e-7, 1e-3),
  overheadSeconds: secondsBetween(1e-4, 0.005),
});

const optionsArbitrary: fc.Arbitrary<ProgramOptions> = fc.record({
  cost: costArbitrary,
  tokenBudget: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 1_024 })),
  maxSequences: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 64 })),
  leakTokens: fc.constantFrom(0, 1),
});

type Finish = readonly [
  arrival: number,
  prompt: number,
  output: number,
  first: number,
  last: number,
];

function finishes(block: RequestBlock, options: ProgramOptions, method: DriveMethod): Finish[] {
  const ends: Finish[] = [];
  driveBatch(
    sourceOf(block),
    { ...options, method, observer: null },
    { finished: (...end) => void ends.push(end) },
  );
  return ends;
}

const sorted = (ends: readonly Finish[]): Finish[] =>
  ends.toSorted((a, b) => {
    const differing = a.findIndex((value, at) => value !== b[at]);
    return differing < 0 ? 0 : a[differing]! - b[differing]!;
  });

it(
  'skip ≡ naive bit for bit where boundaries are summed; naive ≡ the document’s loop',
  { timeout: TIMEOUT_MS },
  () => {
    fc.assert(
      fc.property(blockArbitrary, optionsArbitrary, (block, options) => {
        const skipped = finishes(block, options, 'skip');
        expect(skipped).toStrictEqual(finishes(block, options, 'naiveSummed'));
        expect(skipped).toHaveLength(block.count);
        const program = documentProgram(block, options).map(
          ({ arrival, prompt, output, first, done }): Finish => [
            arrival,
            prompt,
            output,
            first,
            done,
          ],
        );
        expect(sorted(finishes(block, options, 'naive'))).toStrictEqual(sorted(program));
      }),
      { numRuns: CONFIGURATIONS },
    );
  },
);

it('the preset: same counts and printed digits, whichever way', { timeout: TIMEOUT_MS }, () => {
  fc.assert(
    fc.property(
      fc.record({
        seed: fc.integer({ min: 0, max: 1_000_000 }),
        rate: fc.integer({ min: 2, max: 56 }).map((quarters) => quarters / 4),
        tokenBudget: fc.constantFrom(64, 256, 512, 2_048),
        maxSequences: fc.constantFrom(8, 32, 256),
        leakFree: fc.boolean(),
      }),
      ({ rate, ...drawn }) => {
        const options = {
          ...SWEEP_DEFAULTS,
          ...drawn,
          durationSeconds: 30,
          cutSeconds: 3,
          splitTokens: 4_000,
          gaps: true,
        };
        const skipped = sweepRow(rate, { ...options, method: 'skip' });
        const naive = sweepRow(rate, { ...options, method: 'naive' });
        expect(skipped.counts).toEqual(naive.counts);
        expect(skipped.split).toEqual(naive.split);
        expect(sweepTable([skipped], options)).toEqual(sweepTable([naive], options));
      },
    ),
    { numRuns: PRESET_ROWS },
  );
});
