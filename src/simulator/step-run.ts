/**
 * Steps one after another with the same batch. Every step computes the same tokens and reads a
 * little more context, so any number of them costs a sum in closed form.
 */
import type { TwoLineCost } from '../engine/index.ts';

export interface StepRun {
  /** When the first step starts, in seconds. */
  readonly startSeconds: number;
  /** Requests that gain a token in every step. */
  readonly decodingRequests: number;
  /** Tokens that every step computes. */
  readonly computedTokens: number;
  /** Context tokens that the first step reads. */
  readonly contextTokens: number;
  /** Context tokens that every step reads more than the one before. */
  readonly growthTokens: number;
}

/**
 * How long the first `steps` of a run take. Context is counted in whole tokens and so summed
 * without rounding; the result depends on the run and on `steps`, never on how one got there.
 */
export function elapsedSeconds(cost: TwoLineCost, run: StepRun, steps: number): number {
  const computeSeconds = run.computedTokens * cost.computeSecondsPerToken;
  const computeSteps = computeBoundSteps(cost, run, computeSeconds, steps);
  const memorySteps = steps - computeSteps;
  const readTokens =
    memorySteps * (run.contextTokens + run.growthTokens * (computeSteps + (memorySteps - 1) / 2));
  return (
    computeSteps * computeSeconds +
    memorySteps * cost.weightReadSeconds +
    readTokens * cost.kvReadSecondsPerToken +
    steps * cost.overheadSeconds
  );
}

/** When the last of the first `steps` of a run ends. */
export function boundarySeconds(cost: TwoLineCost, run: StepRun, steps: number): number {
  return run.startSeconds + elapsedSeconds(cost, run, steps);
}

/** The fewest steps that end at `atSeconds` or later; `mostSteps` do. */
export function stepsUntil(
  cost: TwoLineCost,
  run: StepRun,
  atSeconds: number,
  mostSteps: number,
): number {
  let steps = Math.min(
    mostSteps,
    Math.max(1, Math.ceil(stepsWithin(cost, run, atSeconds, mostSteps))),
  );
  // The estimate is off by a rounding at most; the boundaries themselves decide.
  while (steps < mostSteps && boundarySeconds(cost, run, steps) < atSeconds) steps += 1;
  while (steps > 1 && boundarySeconds(cost, run, steps - 1) >= atSeconds) steps -= 1;
  return steps;
}

/** Steps at the start of a run that computing holds up at least as long as reading. */
function computeBoundSteps(
  cost: TwoLineCost,
  run: StepRun,
  computeSeconds: number,
  steps: number,
): number {
  const { contextTokens, growthTokens } = run;
  const spareSeconds = computeSeconds - cost.weightReadSeconds;
  // Nearly always all steps or none, which two products tell without a division.
  if (contextTokens * cost.kvReadSecondsPerToken > spareSeconds) return 0;
  const lastContextTokens = contextTokens + growthTokens * (steps - 1);
  if (lastContextTokens * cost.kvReadSecondsPerToken <= spareSeconds) return steps;
  const spareTokens = spareSeconds / cost.kvReadSecondsPerToken - contextTokens;
  return Math.min(steps, Math.max(0, Math.floor(spareTokens / growthTokens) + 1));
}

/** How many steps, as a fraction, fit between the start of a run and `atSeconds`. */
function stepsWithin(
  cost: TwoLineCost,
  run: StepRun,
  atSeconds: number,
  mostSteps: number,
): number {
  const seconds = atSeconds - run.startSeconds;
  const computeSeconds = run.computedTokens * cost.computeSecondsPerToken;
  const computeSteps = computeBoundSteps(cost, run, computeSeconds, mostSteps);
  const levelSeconds = computeSeconds + cost.overheadSeconds;
  if (computeSteps > 0 && seconds <= computeSteps * levelSeconds) return seconds / levelSeconds;
  // After that every step takes `growth` longer than the one before: a quadratic in the steps.
  const growth = run.growthTokens * cost.kvReadSecondsPerToken;
  const first =
    cost.weightReadSeconds +
    (run.contextTokens + run.growthTokens * computeSteps) * cost.kvReadSecondsPerToken +
    cost.overheadSeconds;
  const rest = seconds - computeSteps * levelSeconds;
  const linear = first - growth / 2;
  return computeSteps + (2 * rest) / (linear + Math.sqrt(linear * linear + 2 * growth * rest));
}
