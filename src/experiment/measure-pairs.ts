/** Windows of load on two sides in turn, so that what drifts with time meets both alike. */
import { randomStream } from '../base/index.ts';
import { drawSeed, type Seeds } from '../workload/index.ts';
import type { BudgetSpec, RunSpec } from '../config/index.ts';
import type { ExperimentResult } from './run-experiment.ts';

/** A window that was measured, and the run folder that holds its records. */
export interface MeasuredWindow extends ExperimentResult {
  readonly dir: string;
}

export type ComparedSideName = 'a' | 'b';

/** One window to measure. */
export interface PairWindow {
  readonly side: ComparedSideName;
  /** From 0; both windows of a pair have the same arrivals, lengths and order of prompts. */
  readonly pair: number;
  /** The spec with this pair's seeds and what is left of the budget. */
  readonly spec: RunSpec;
}

export interface PairPorts {
  /** Makes `side` the one that answers: before the first window, and when the side changes. */
  readonly enter: (side: ComparedSideName) => Promise<void>;
  /** Before every window, once its side answers; empties caches, say. */
  readonly reset: (window: PairWindow) => Promise<void>;
  /** `null` when interrupted before it began. */
  readonly measure: (window: PairWindow) => Promise<MeasuredWindow | null>;
}

export interface MeasuredPair {
  readonly a: MeasuredWindow;
  readonly b: MeasuredWindow;
}

export interface MeasuredPairs {
  /** Those with both windows. */
  readonly pairs: readonly MeasuredPair[];
  readonly interrupted: boolean;
}

/** Enough that 3 % slower steps are found on most services; docs/statistics.md has the power. */
export const DEFAULT_PAIRS = 12;

/**
 * Measures `pairs` pairs in the order A B, B A, A B, …: anything that changes steadily with time
 * cancels over two pairs, and a target that has to be restarted for its side is restarted once a
 * pair instead of twice. Each pair has seeds of its own, drawn from the spec's.
 */
export async function measurePairs(
  spec: RunSpec,
  pairs: number,
  ports: PairPorts,
): Promise<MeasuredPairs> {
  const measured: MeasuredPair[] = [];
  const spent: MeasuredWindow[] = [];
  let current: ComparedSideName | null = null;
  for (let pair = 0; pair < pairs; pair += 1) {
    const results: Partial<Record<ComparedSideName, MeasuredWindow>> = {};
    const seeds = seedsOfPair(spec.seeds, pair);
    for (const side of sidesOfPair(pair)) {
      if (side !== current) await ports.enter(side);
      current = side;
      const window = {
        side,
        pair,
        spec: { ...spec, seeds, budget: remainingBudget(spec.budget, spent) },
      };
      await ports.reset(window);
      const result = await ports.measure(window);
      if (result === null || result.interrupted) return { pairs: measured, interrupted: true };
      results[side] = result;
      spent.push(result);
    }
    const { a, b } = results;
    if (a !== undefined && b !== undefined) measured.push({ a, b });
  }
  return { pairs: measured, interrupted: false };
}

/** A first in even pairs, B first in odd ones. */
export function sidesOfPair(pair: number): readonly [ComparedSideName, ComparedSideName] {
  return pair % 2 === 0 ? ['a', 'b'] : ['b', 'a'];
}

/** Fresh arrivals and lengths for every pair: one lucky draw would pass for a difference. */
export function seedsOfPair(seeds: Seeds, pair: number): Seeds {
  const derive = (seed: number): number => drawSeed(randomStream(seed, `pair/${pair}`));
  return {
    arrivals: derive(seeds.arrivals),
    lengths: derive(seeds.lengths),
    prompts: derive(seeds.prompts),
  };
}

/** The user's bounds are those of all windows together. */
export function remainingBudget(
  budget: BudgetSpec,
  spent: readonly Pick<ExperimentResult, 'summary'>[],
): BudgetSpec {
  let requests = 0;
  let inputTokens = 0;
  let outputTokens = 0;
  for (const { summary } of spent) {
    for (const { ledger, promptTokens, outputTokens: output } of summary.points) {
      requests += ledger.scheduled - ledger.dropped;
      inputTokens += (promptTokens.mean ?? 0) * promptTokens.n;
      outputTokens += (output.mean ?? 0) * output.n;
    }
  }
  const costUsd =
    (inputTokens * (budget.pricePerMillionInputTokensUsd ?? 0) +
      outputTokens * (budget.pricePerMillionOutputTokensUsd ?? 0)) /
    1e6;
  const left = (limit: number | null, used: number): number | null =>
    limit === null ? null : Math.max(0, limit - Math.ceil(used));
  return {
    ...budget,
    maxRequests: left(budget.maxRequests, requests),
    maxOutputTokens: left(budget.maxOutputTokens, outputTokens),
    maxCostUsd: budget.maxCostUsd === null ? null : Math.max(0, budget.maxCostUsd - costUsd),
  };
}
