/** Loads under every server setting, and the frontier drawn again until no place on it is luck. */
import { assertNever, randomStream } from '../base/index.ts';
import type { LoadSpec, RunSpec } from '../config/index.ts';
import {
  type ParetoAxes,
  type ParetoDraw,
  type ParetoRepeat,
  repeatsOf,
} from '../planner/index.ts';
import { levelText } from '../report/index.ts';
import { type PointSummary, quantileOf, type Summary } from '../summary/index.ts';
import { drawSeed, type Seeds } from '../workload/index.ts';
import { remainingBudget } from './measure-pairs.ts';
import type { ExperimentResult } from './run-experiment.ts';

export interface ParetoPlan {
  /** Most sequences of the server's batch, one setting after another; `[null]`: as it is. */
  readonly batches: readonly (number | null)[];
  readonly axes: ParetoAxes;
  /** Draws that each point of the frontier must rest on. */
  readonly drawsAsked: number;
}

/** One sweep over loads at one setting. */
export interface ParetoWindow {
  readonly batch: number | null;
  /** From 1; each has seeds of its own, the same for every setting. */
  readonly draw: number;
  /** The spec with this draw's seeds, its loads, and what is left of the budget. */
  readonly spec: RunSpec;
}

export interface ParetoPorts {
  /** Gives the server a setting: before the first window, and when it changes. */
  readonly enter: (batch: number | null) => Promise<void>;
  /** `null` when interrupted before it began. */
  readonly measure: (window: ParetoWindow) => Promise<ExperimentResult | null>;
  /** How many points of the frontier are about to be drawn again. */
  readonly onRepeat: (count: number) => void;
}

export interface ParetoSweep {
  readonly draws: readonly ParetoDraw[];
  readonly interrupted: boolean;
}

/**
 * Every load at every setting once; then the frontier's points again, a setting at a time, until
 * each rests on enough draws. What falls back uncovers others, which are then drawn again as well.
 */
export async function sweepPareto(
  spec: RunSpec,
  plan: ParetoPlan,
  ports: ParetoPorts,
): Promise<ParetoSweep> {
  const draws: ParetoDraw[] = [];
  const spent: ExperimentResult[] = [];
  let setting: number | null | undefined;
  /** False when it was interrupted. */
  const measure = async (batch: number | null, draw: number, load: LoadSpec): Promise<boolean> => {
    if (setting !== batch) await ports.enter(batch);
    setting = batch;
    const seeds = seedsOfDraw(spec.seeds, draw);
    const budget = remainingBudget(spec.budget, spent);
    const result = await ports.measure({ batch, draw, spec: { ...spec, load, seeds, budget } });
    if (result === null || result.interrupted) return false;
    spent.push(result);
    draws.push(...paretoDraws(result.summary, batch));
    return true;
  };
  for (const batch of plan.batches) {
    if (!(await measure(batch, 1, spec.load))) return { draws, interrupted: true };
  }
  for (let draw = 2; ; draw += 1) {
    const repeats = repeatsOf(draws, plan.axes, plan.drawsAsked);
    if (repeats.length === 0) return { draws, interrupted: false };
    ports.onRepeat(repeats.length);
    for (const [batch, levels] of levelsByBatch(repeats)) {
      if (!(await measure(batch, draw, loadAt(spec.load, levels)))) {
        return { draws, interrupted: true };
      }
    }
  }
}

/** The points of one run as draws at one setting. */
export function paretoDraws(summary: Summary, batch: number | null): ParetoDraw[] {
  return summary.points.map((point) => ({
    batch,
    level: point.load.level,
    load: levelText(point.load),
    outputTokensPerSecond: point.rates.outputTokensPerSecond,
    goodRps: point.goodputRps,
    tpotP50Ns: quantileOf(point.tpotNs, 0.5)?.value ?? null,
    ttftP95Ns: quantileOf(point.ttftFromPlannedNs, 0.95)?.value ?? null,
    attainmentShare: point.attainment.share,
    target: targetOf(point),
    unusable: unusableReason(point),
  }));
}

function targetOf({ population }: PointSummary): ParetoDraw['target'] {
  if (population.length === 0) return null;
  if (population.some(({ state }) => state === 'missed')) return 'missed';
  return population.every(({ state }) => state === 'met') ? 'met' : 'notEnoughData';
}

/** In a growing backlog latency is a matter of how long one looked. */
function unusableReason(point: PointSummary): string | null {
  if (!point.validity.valid) return 'not to be trusted';
  if (point.partial) return 'cut short';
  return point.backlogGrowing ? 'backlog grew' : null;
}

function levelsByBatch(repeats: readonly ParetoRepeat[]): Map<number | null, number[]> {
  const levels = new Map<number | null, number[]>();
  for (const { batch, level } of repeats) levels.set(batch, [...(levels.get(batch) ?? []), level]);
  return levels;
}

/** The load at some of its levels. */
function loadAt(load: LoadSpec, levels: readonly number[]): LoadSpec {
  switch (load.kind) {
    case 'rate':
      return { ...load, ratesRps: levels };
    case 'concurrency':
    case 'users':
      return { ...load, levels };
    case 'sessions':
      return { ...load, sessionsPerSecond: levels };
    case 'trace':
      return { ...load, timeScales: levels };
    default:
      return assertNever(load);
  }
}

/** The first draw is the spec itself; later ones have arrivals, lengths and prompts of their own. */
function seedsOfDraw(seeds: Seeds, draw: number): Seeds {
  if (draw === 1) return seeds;
  const derive = (seed: number): number => drawSeed(randomStream(seed, `draw/${draw}`));
  return {
    arrivals: derive(seeds.arrivals),
    lengths: derive(seeds.lengths),
    prompts: derive(seeds.prompts),
  };
}
