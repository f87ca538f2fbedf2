/** A run folder as `judge`, `report` and `objectives` open it. */
import { printable, ProblemsError } from '../base/index.ts';
import { parseRunSpec } from '../config/index.ts';
import { summariseRun } from '../experiment/index.ts';
import type { Objective } from '../slo/index.ts';
import { type OpenRun, openRun } from '../store/index.ts';
import type { Summary } from '../summary/index.ts';
import type { CommandContext } from './context.ts';
import { configContext } from './read-spec.ts';
import { TOOL_VERSION } from './version.ts';

/**
 * The objective that the run was made with, from the spec in its manifest.
 * Errors: ProblemsError when this version cannot read that spec.
 */
export function objectiveOfRun(run: OpenRun, context: CommandContext): Objective | null {
  const { spec } = run.manifest;
  if (typeof spec !== 'string') return null;
  const parsed = parseRunSpec(spec, {
    ...configContext(context),
    file: `${run.dir}/manifest.json`,
  });
  if ('problems' in parsed) throw new ProblemsError(parsed.problems);
  return parsed.spec.objective;
}

/** Judges every stored record against `objective`. No traffic. */
export async function judgeStoredRun(
  dir: string,
  objectiveOf: (run: OpenRun) => Objective | null,
  context: CommandContext,
): Promise<{ readonly run: OpenRun; readonly summary: Summary }> {
  const run = await openRun(dir);
  const summary = await summariseRun(run, {
    objective: objectiveOf(run),
    toolVersion: TOOL_VERSION,
  });
  for (const { message } of run.problems) context.stderr(`note: ${printable(message)}\n`);
  return { run, summary };
}
