/** An objective as one run judges by it. */
import { allowingFinish, plainObjective, type Objective } from '../slo/index.ts';
import type { RunSpec } from './run-spec.ts';

/** An objective, and whether its author named the allowed finish reasons. */
export interface ReadObjective {
  readonly objective: Objective;
  readonly namesFinish: boolean;
}

/** What of a run decides which answers are correct. */
export type JudgedRun = Pick<RunSpec, 'workload' | 'checks'>;

/**
 * The objective with all checks of the run, and, where the workload sets the answer length and the
 * author did not say otherwise, with answers that reach that length.
 */
export function fittedObjective(read: ReadObjective, { workload, checks }: JudgedRun): Objective {
  const setsLength = workload.kind !== 'bodies';
  const objective =
    setsLength && !read.namesFinish ? allowingFinish(read.objective, 'length') : read.objective;
  const { request } = objective;
  return { ...objective, request: { ...request, correctness: { ...request.correctness, checks } } };
}

/** What a run judges by that was asked nothing: whether answers are correct, as it means it. */
export function correctnessOf(run: JudgedRun): Objective {
  return fittedObjective({ objective: plainObjective(), namesFinish: false }, run);
}
