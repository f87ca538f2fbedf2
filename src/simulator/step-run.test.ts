import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { twoLineSeconds, type TwoLineCost } from '../engine/index.ts';
import { boundarySeconds, elapsedSeconds, type StepRun, stepsUntil } from './step-run.ts';

const COST: TwoLineCost = {
  weightReadSeconds: 0.005,
  kvReadSecondsPerToken: 1e-6,
  computeSecondsPerToken: 1e-5,
  overheadSeconds: 0.001,
};

const runOf = (more: Partial<StepRun> = {}): StepRun => ({
  startSeconds: 2,
  decodingRequests: 4,
  computedTokens: 600,
  contextTokens: 980,
  growthTokens: 4,
  ...more,
});

const runArbitrary: fc.Arbitrary<StepRun> = fc.record({
  startSeconds: fc.double({ min: 0, max: 1e5, noNaN: true }),
  decodingRequests: fc.integer({ min: 0, max: 256 }),
  computedTokens: fc.integer({ min: 1, max: 2_048 }),
  contextTokens: fc.integer({ min: -1_000_000, max: 1_000_000 }),
  growthTokens: fc.integer({ min: 0, max: 2_048 }),
});

function addedSeconds(run: StepRun, steps: number): number {
  let seconds = 0;
  for (let step = 0; step < steps; step += 1) {
    const context = run.contextTokens + run.growthTokens * step;
    seconds += twoLineSeconds(COST, run.computedTokens, context);
  }
  return seconds;
}

describe('elapsedSeconds', () => {
  it('is the sum of the steps, first held up by computing, then by reading', () => {
    // Computing takes 6 ms; reading as long at a context of 1,000: five steps, then five longer ones.
    expect(elapsedSeconds(COST, runOf(), 5)).toBeCloseTo(5 * 0.007, 15);
    expect(elapsedSeconds(COST, runOf(), 7)).toBeCloseTo(7 * 0.007 + 1e-6 * (0 + 4), 15);
    expect(elapsedSeconds(COST, runOf(), 10)).toBeCloseTo(10 * 0.007 + 1e-6 * 40, 15);
  });

  it('agrees with repeated addition', () => {
    fc.assert(
      fc.property(runArbitrary, fc.integer({ min: 1, max: 300 }), (run, steps) => {
        const added = addedSeconds(run, steps);
        expect(Math.abs(elapsedSeconds(COST, run, steps) - added)).toBeLessThan(1e-11 * added);
      }),
    );
  });

  it('is a single step’s cost for one step', () => {
    fc.assert(
      fc.property(runArbitrary, (run) => {
        const seconds = twoLineSeconds(COST, run.computedTokens, run.contextTokens);
        expect(elapsedSeconds(COST, run, 1)).toBeCloseTo(seconds, 14);
      }),
    );
  });
});

describe('stepsUntil', () => {
  it('is the first boundary at or after an instant, the boundary itself included', () => {
    fc.assert(
      fc.property(
        runArbitrary,
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 1, max: 120 }),
        fc.constantFrom(-1, 0, 1),
        (run, mostSteps, near, nudge) => {
          const boundary = boundarySeconds(COST, run, near);
          const atSeconds = boundary * (1 + nudge * Number.EPSILON);
          let expected = 1;
          while (expected < mostSteps && boundarySeconds(COST, run, expected) < atSeconds) {
            expected += 1;
          }
          expect(stepsUntil(COST, run, atSeconds, mostSteps)).toBe(expected);
        },
      ),
    );
  });

  it('is one step for an instant already past', () => {
    expect(stepsUntil(COST, runOf(), 1, 50)).toBe(1);
  });
});
