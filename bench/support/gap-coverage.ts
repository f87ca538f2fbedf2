/** What the intervals of pooled gaps cover: engine steps as every answer in them saw them. */
import { SEED_COST } from '../../src/engine/index.ts';
import {
  boundarySeconds,
  driveBatch,
  SWEEP_DEFAULTS,
  sweepSource,
} from '../../src/simulator/index.ts';
import {
  BATCH_COUNT,
  effectiveQuantileRanks,
  queueDesignEffect,
  shareEstimate,
} from '../../src/stats/index.ts';
import { levelsOver } from '../../src/summary/index.ts';
import { CAPACITY_RPS } from '../../test/support/queue-window.ts';
import type { Row } from './report.ts';
import { type Case, cellsOf, type Interval } from './window-cases.ts';

const WARM_UP_SECONDS = 30;
const QUANTILES = [0.5, 0.9, 0.95, 0.99];
const BINS = 256 * BATCH_COUNT;

/** A request of the window: its batch, and the steps in which it gained a token after its first. */
interface Answer {
  readonly batch: number;
  readonly fromStep: number;
  readonly toStep: number;
}

interface GapWindow {
  readonly stepSeconds: readonly number[];
  readonly answers: readonly Answer[];
  readonly requestsPerLook: number;
}

function drawGaps(offeredRps: number, seconds: number, seed: number): GapWindow {
  const ends: number[] = [];
  const stepSeconds: number[] = [];
  const answers: (Answer & { readonly firstSeconds: number; readonly lastSeconds: number })[] = [];
  const stays: { readonly fromNs: number; readonly toNs: number }[] = [];
  driveBatch(
    sweepSource({ offeredRps, durationSeconds: seconds + 2 * WARM_UP_SECONDS, seed }),
    {
      ...SWEEP_DEFAULTS,
      cost: SEED_COST,
      leakTokens: 0,
      method: 'skip',
      observer: {
        observe(run, steps) {
          let before = run.startSeconds;
          for (let step = 1; step <= steps; step += 1) {
            const end = boundarySeconds(SEED_COST, run, step);
            ends.push(end);
            stepSeconds.push(end - before);
            before = end;
          }
        },
      },
    },
    {
      finished(arrival, _prompt, _output, firstSeconds, lastSeconds) {
        stays.push({ fromNs: arrival, toNs: lastSeconds });
        const part = (arrival - WARM_UP_SECONDS) / seconds;
        if (part < 0 || part >= 1) return;
        const batch = Math.floor(part * BATCH_COUNT);
        answers.push({ batch, fromStep: 0, toStep: 0, firstSeconds, lastSeconds });
      },
    },
  );
  const window = { fromNs: WARM_UP_SECONDS, toNs: WARM_UP_SECONDS + seconds };
  return {
    stepSeconds,
    answers: answers.map(({ batch, firstSeconds, lastSeconds }) => ({
      batch,
      fromStep: stepsUpTo(ends, firstSeconds),
      toStep: stepsUpTo(ends, lastSeconds),
    })),
    requestsPerLook: queueDesignEffect(levelsOver(stays, window, BINS), answers.length),
  };
}

/** How many steps had ended by then; `ends` ascending. */
function stepsUpTo(ends: readonly number[], seconds: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] as number) <= seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Steps by duration, each with the gaps that it gave. */
interface WeightedSteps {
  readonly seconds: Float64Array;
  /** Gaps up to and with each step. */
  readonly upTo: Float64Array;
}

function weightedSteps({ stepSeconds, answers }: GapWindow): WeightedSteps {
  const weights = new Float64Array(stepSeconds.length + 1);
  for (const { fromStep, toStep } of answers) {
    weights[fromStep] = (weights[fromStep] as number) + 1;
    weights[toStep] = (weights[toStep] as number) - 1;
  }
  for (let step = 1; step < weights.length; step += 1) {
    weights[step] = (weights[step] as number) + (weights[step - 1] as number);
  }
  const order = [...stepSeconds.keys()].toSorted(
    (a, b) => (stepSeconds[a] as number) - (stepSeconds[b] as number),
  );
  const upTo = new Float64Array(order.length);
  let sum = 0;
  for (const [at, step] of order.entries()) upTo[at] = sum += weights[step] as number;
  return { seconds: Float64Array.from(order, (step) => stepSeconds[step] as number), upTo };
}

/** The gap of a rank from 1. */
function gapAt({ seconds, upTo }: WeightedSteps, rank: number): number {
  let low = 0;
  let high = upTo.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((upTo[middle] as number) >= rank) high = middle;
    else low = middle + 1;
  }
  return seconds[low] as number;
}

function gapCase(window: GapWindow, steps: WeightedSteps, q: number): Case {
  const n = steps.upTo.at(-1) as number;
  const estimate = gapAt(steps, Math.ceil(q * n));
  const within = new Float64Array(window.stepSeconds.length + 1);
  for (const [step, seconds] of window.stepSeconds.entries()) {
    within[step + 1] = (within[step] as number) + (seconds <= estimate ? 1 : 0);
  }
  const batches = Array.from({ length: BATCH_COUNT }, () => ({ good: 0, offered: 0 }));
  for (const { batch, fromStep, toStep } of window.answers) {
    const counts = batches[batch] as (typeof batches)[0];
    counts.offered += toStep - fromStep;
    counts.good += (within[toStep] as number) - (within[fromStep] as number);
  }
  const gapsPerLook = Math.max(1, (window.requestsPerLook * n) / window.answers.length);
  const dependence = shareEstimate(batches, gapsPerLook)?.dependence;
  const intervalBy = (of: NonNullable<typeof dependence>): Interval | null => {
    const ranks = effectiveQuantileRanks(n, q, of);
    return ranks && { low: gapAt(steps, ranks.low), high: gapAt(steps, ranks.high) };
  };
  return {
    estimate,
    interval: dependence === undefined ? null : intervalBy(dependence),
    ifIndependent:
      dependence === undefined
        ? null
        : intervalBy({ ...dependence, effectiveN: n, degrees: 1e6, looks: n }),
  };
}

/** Rows for each quantile at 0.85 of capacity and at capacity. */
export function gapRows(seed: number, groups: number, quick: boolean): Row[] {
  return [0.85, 1].flatMap((part) => {
    const rps = part * CAPACITY_RPS;
    const truths = Array.from({ length: quick ? 1 : 6 }, (_, index) =>
      weightedSteps(drawGaps(rps, quick ? 500 : 20_000, 301 + index)),
    );
    const truthOf = (q: number): number =>
      truths.reduce(
        (sum, steps) => sum + gapAt(steps, Math.ceil(q * (steps.upTo.at(-1) as number))),
        0,
      ) / truths.length;
    return [240, 1_500].flatMap((seconds) => {
      const count = seconds === 240 ? groups : Math.ceil(groups / 3);
      const cases = Array.from({ length: count }, (_, index) => {
        const window = drawGaps(rps, quick ? 60 : seconds, seed + 900_007 + 7_919 * index);
        const steps = weightedSteps(window);
        return QUANTILES.map((q) => gapCase(window, steps, q));
      });
      return QUANTILES.map((q, at) => [
        `${part}×`,
        `p${100 * q} ${(1_000 * truthOf(q)).toFixed(1)} ms`,
        `${seconds} s`,
        ...cellsOf(
          cases.map((each) => each[at] as Case),
          truthOf(q),
        ),
      ]);
    });
  });
}
