/** Everything that is settled before the target hears from us: points, schedules, estimate. */
import { ProblemsError } from '../base/index.ts';
import { requireBudget, type RunSpec } from '../config/index.ts';
import {
  estimateLoad,
  type LoadEstimate,
  planSchedule,
  type PromptSource,
  type Schedule,
  seedsOfPoint,
  type ScheduleSeeds,
} from '../workload/index.ts';
import { type LoadPoint, loadPoints } from './load-points.ts';
import { quotaNotes, quotaProblems } from './quota-plan.ts';
import { resolvePromptSource } from './prompt-source.ts';

export interface PlannedPoint extends LoadPoint {
  readonly schedule: Schedule;
}

export interface RunPlan {
  readonly source: PromptSource;
  readonly points: readonly PlannedPoint[];
  readonly estimate: LoadEstimate;
  readonly prefixCache: string;
  /** The seeds the schedules were really planned with. */
  readonly seeds: ScheduleSeeds;
  readonly notes: readonly string[];
}

/**
 * Plans all load points. A prompt that is unique must be so across runs too, or the second run of a
 * spec would be served from the prefix cache that the first one filled; `freshSeed` sees to that.
 * Arrivals, lengths and the order of a prompt file depend on the spec's seeds alone.
 *
 * Errors: {@link ProblemsError} for files that cannot be read as what they are named, a load that
 * does not fit its source, and a public target without a budget.
 */
export function planRun(
  spec: RunSpec,
  options: { readonly readText: (path: string) => string; readonly freshSeed: number },
): RunPlan {
  const { source, notes, prefixCache } = resolvePromptSource(spec.workload, options.readText);
  const seeds: ScheduleSeeds = { ...spec.seeds, text: options.freshSeed };
  const points = loadPoints(spec).map((point) => ({
    ...point,
    schedule: planSchedule({
      source,
      shape: point.shape,
      seeds: seedsOfPoint(seeds, point.index),
    }),
  }));
  const { pricePerMillionInputTokensUsd, pricePerMillionOutputTokensUsd } = spec.budget;
  const estimate = estimateLoad({
    schedules: points.map(({ schedule }) => schedule),
    prices:
      pricePerMillionInputTokensUsd === null || pricePerMillionOutputTokensUsd === null
        ? null
        : { pricePerMillionInputTokensUsd, pricePerMillionOutputTokensUsd },
  });
  const { quota } = spec.target;
  const problems = [...requireBudget(spec, estimate), ...quotaProblems(points, quota)];
  if (problems.length > 0) throw new ProblemsError(problems);
  return {
    source,
    points,
    estimate,
    prefixCache,
    seeds,
    notes: [...notes, ...quotaNotes(points, quota)],
  };
}
