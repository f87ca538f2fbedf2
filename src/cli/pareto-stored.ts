/** Draws for `goodput pareto` from run folders. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { paretoDraws } from '../experiment/index.ts';
import type { ParetoDraw } from '../planner/index.ts';
import type { Manifest } from '../record/index.ts';
import type { CommandContext } from './context.ts';
import { readSlo } from './read-spec.ts';
import { judgeStoredRun } from './stored-run.ts';

/** Whether a target is a folder of a run rather than a run file or a URL. */
export function isRunFolder(target: string): boolean {
  return existsSync(join(target, 'manifest.json'));
}

/** Judges every run again, by `slo` where it is given; equal settings and loads are draws of one. */
export async function drawsOfStoredRuns(
  dirs: readonly string[],
  slo: string | undefined,
  context: CommandContext,
): Promise<ParetoDraw[]> {
  const draws: ParetoDraw[] = [];
  for (const dir of dirs) {
    const { run, summary } = await judgeStoredRun(
      dir,
      (spec) => (slo === undefined ? spec.objective : readSlo(slo, spec, context)),
      context,
    );
    draws.push(...paretoDraws(summary, batchOf(dir, run.manifest)));
  }
  return draws;
}

/** As the simulated service was set; of a server, as the folder is named: `batch-16-draw-2`. */
export function batchOf(dir: string, { simulated }: Manifest): number | null {
  const limits = (simulated as { limits?: { maxSequences?: unknown } } | null)?.limits;
  if (typeof limits?.maxSequences === 'number') return limits.maxSequences;
  const named = /^batch-(\d+)/.exec(basename(dir))?.[1];
  return named === undefined ? null : Number(named);
}
