/** Drives a batch through time: step by step, or from one decision to the next. */
import { assertNever } from '../base/index.ts';
import { twoLineSeconds, type TwoLineCost } from '../engine/index.ts';
import { Batch, type BatchOptions } from './batch.ts';
import type { FinishSink, RequestSource } from './request-block.ts';
import { boundarySeconds, type StepRun, stepsUntil } from './step-run.ts';

/**
 * - `naive`: one step at a time, adding its duration to the clock, as the document's program does;
 * - `naiveSummed`: one step at a time, each ending at the start of its run plus the run's sum;
 * - `skip`: whole runs. The same boundaries as `naiveSummed` to the bit, and as `naive` up to the
 *   rounding of repeated addition.
 */
export type DriveMethod = 'naive' | 'naiveSummed' | 'skip';

/** Sees the steps of a simulation; a run may be reported in parts. */
export interface RunObserver {
  observe(run: StepRun, steps: number): void;
}

export interface DriveOptions extends BatchOptions {
  readonly cost: TwoLineCost;
  readonly method: DriveMethod;
  /** `null` = nobody looks. */
  readonly observer: RunObserver | null;
}

/** Serves every request of a source to its end. Returns the number of decisions taken. */
export function driveBatch(source: RequestSource, options: DriveOptions, sink: FinishSink): number {
  const batch = new Batch(options, source, sink);
  switch (options.method) {
    case 'naive':
      return driveByAddition(batch, options);
    case 'naiveSummed':
      return driveBySums(batch, options);
    case 'skip':
      return driveBySkipping(batch, options);
    default:
      return assertNever(options.method);
  }
}

function driveByAddition(batch: Batch, { cost, observer }: DriveOptions): number {
  let decisions = 0;
  let nowSeconds = batch.nextStartSeconds(0);
  while (nowSeconds < Number.POSITIVE_INFINITY) {
    batch.plan(nowSeconds);
    observer?.observe(batch.run, 1);
    nowSeconds += twoLineSeconds(cost, batch.run.computedTokens, batch.run.contextTokens);
    batch.advance(1, nowSeconds);
    decisions += 1;
    nowSeconds = batch.nextStartSeconds(nowSeconds);
  }
  return decisions;
}

function driveBySums(batch: Batch, { cost, observer }: DriveOptions): number {
  let decisions = 0;
  let run: StepRun = { ...batch.run };
  let steps = 0;
  let isNewBatch = true;
  let nowSeconds = batch.nextStartSeconds(0);
  while (nowSeconds < Number.POSITIVE_INFINITY) {
    const kind = batch.kind;
    batch.plan(nowSeconds);
    if (isNewBatch || batch.kind !== kind || batch.kind === 'complete') {
      run = { ...batch.run };
      steps = 0;
    }
    observer?.observe(batch.run, 1);
    steps += 1;
    nowSeconds = boundarySeconds(cost, run, steps);
    isNewBatch = batch.advance(1, nowSeconds);
    decisions += 1;
    nowSeconds = batch.nextStartSeconds(nowSeconds);
  }
  return decisions;
}

function driveBySkipping(batch: Batch, { cost, observer }: DriveOptions): number {
  let decisions = 0;
  let nowSeconds = batch.nextStartSeconds(0);
  while (nowSeconds < Number.POSITIVE_INFINITY) {
    batch.plan(nowSeconds);
    const { run, mostSteps, watchSeconds } = batch;
    let steps = mostSteps;
    let endSeconds = boundarySeconds(cost, run, steps);
    if (endSeconds > watchSeconds && steps > 1) {
      steps = stepsUntil(cost, run, watchSeconds, steps);
      endSeconds = boundarySeconds(cost, run, steps);
    }
    observer?.observe(run, steps);
    nowSeconds = endSeconds;
    batch.advance(steps, nowSeconds);
    decisions += 1;
    nowSeconds = batch.nextStartSeconds(nowSeconds);
  }
  return decisions;
}
