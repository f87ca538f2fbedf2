/** Many simulated load points: on threads where that helps, with the same results as one by one. */
import { assert } from '../base/index.ts';
import { type CostModel, costModelOf } from '../engine/index.ts';
import { Budget } from '../loadgen/index.ts';
import type { ServiceOptions } from '../simulator/index.ts';
import { coreCount, runJobs } from '../workers/index.ts';
import { type SimulatedPoint, simulatePoint, type SimulationJob } from './simulate-point.ts';

export interface SimulateManyOptions {
  /** Threads at most; `null` = one per core. 1 = none beside this one. ≥ 1. */
  readonly threads: number | null;
  readonly stopStarts: AbortSignal;
  readonly cancelAll: AbortSignal;
  readonly onStart?: (job: SimulationJob) => void;
  /** In the order in which points end, which differs between runs. */
  readonly onDone?: (point: SimulatedPoint) => void;
}

/**
 * Simulates every job and gives the results in the order of the jobs, the same bit for bit however
 * many threads there are; `null` for points not started before an interrupt.
 *
 * Points that share a spending limit, and services that are not all data (a cost model without
 * `recipe`; transfers, whose sizes are a function), stay on this thread. Errors: as `simulatePoint`; a thread that dies is an InvariantError with its point.
 */
export async function simulateMany(
  jobs: readonly SimulationJob[],
  options: SimulateManyOptions,
): Promise<(SimulatedPoint | null)[]> {
  const { stopStarts, cancelAll, onStart = () => {}, onDone = () => {} } = options;
  const threads = Math.min(options.threads ?? coreCount(), jobs.length);
  if (threads > 1 && jobs.every(canTravel)) {
    return runJobs({
      entry: ENTRY,
      jobs: jobs.map(packed),
      threads,
      nameOf: ({ point }) => point.label,
      stopStarts,
      cancelAll,
      onStart: (_packed, index) => onStart(jobs[index] as SimulationJob),
      onDone: (point: SimulatedPoint) => onDone(point),
    });
  }
  const [first] = jobs;
  const budget = first === undefined ? null : new Budget(first.budget);
  const points: (SimulatedPoint | null)[] = jobs.map(() => null);
  for (const [index, job] of jobs.entries()) {
    if (stopStarts.aborted || cancelAll.aborted) break;
    onStart(job);
    const point = await simulatePoint(job, { stopStarts, cancelAll, ...(budget && { budget }) });
    points[index] = point;
    onDone(point);
  }
  return points;
}

/** Compiled, the module beside this one ends in `.js`; from sources, in `.ts`. */
const ENTRY = new URL(
  `./simulation-worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`,
  import.meta.url,
);

/** A job whose cost models are their recipes: functions do not pass between threads. */
export type PackedJob = SimulationJob;

function canTravel({ budget, service }: SimulationJob): boolean {
  const { maxRequests, maxOutputTokens, maxCostUsd } = budget;
  const isFree = maxRequests === null && maxOutputTokens === null && maxCostUsd === null;
  const isData = service.disaggregation === null && service.engine.costModel.recipe !== undefined;
  return isFree && isData;
}

function packed(job: SimulationJob): PackedJob {
  const data = ({ name, recipe }: CostModel) => ({ name, recipe }) as CostModel;
  return { ...job, service: withCostModels(job.service, data) };
}

/** The job again, on the other thread. */
export function unpacked(job: PackedJob): SimulationJob {
  const model = ({ name, recipe }: CostModel): CostModel => {
    assert(recipe !== undefined, `cost model ${name} came without its recipe`);
    return costModelOf(recipe);
  };
  return { ...job, service: withCostModels(job.service, model) };
}

function withCostModels(
  service: ServiceOptions,
  change: (model: CostModel) => CostModel,
): ServiceOptions {
  const { engine } = service;
  return { ...service, engine: { ...engine, costModel: change(engine.costModel) } };
}
