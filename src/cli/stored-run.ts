/** A run folder as `judge`, `report` and `objectives` open it. */
import { printable, ProblemsError } from '../base/index.ts';
import { correctnessOf, parseRunSpec, type RunSpec } from '../config/index.ts';
import { summariseRun } from '../experiment/index.ts';
import type { Objective } from '../slo/index.ts';
import { type OpenRun, openRun } from '../store/index.ts';
import type { Summary } from '../summary/index.ts';
import type { CommandContext } from './context.ts';
import { configContext } from './read-spec.ts';
import { TOOL_VERSION } from './version.ts';

/**
 * The spec that the run was made with, from its manifest.
 * Errors: ProblemsError when this version cannot read that spec.
 */
export function specOfRun(run: OpenRun, context: CommandContext): RunSpec {
  const { spec } = run.manifest;
  const parsed = parseRunSpec(typeof spec === 'string' ? spec : JSON.stringify(spec), {
    ...configContext(context),
    file: `${run.dir}/manifest.json`,
  });
  if ('problems' in parsed) throw new ProblemsError(parsed.problems);
  return parsed.spec;
}

/** Judges every stored record against an objective fitted to the run. No traffic. */
export async function judgeStoredRun(
  dir: string,
  objectiveFor: (spec: RunSpec) => Objective | null,
  context: CommandContext,
): Promise<{ readonly run: OpenRun; readonly summary: Summary }> {
  const run = await openRun(dir);
  const spec = specOfRun(run, context);
  const summary = await summariseRun(run, {
    objective: objectiveFor(spec),
    correctness: correctnessOf(spec),
    toolVersion: TOOL_VERSION,
  });
  for (const { message } of run.problems) context.stderr(`note: ${printable(message)}\n`);
  return { run, summary };
}
