/** `goodput report --html`, `--csv`, `--svg`: the page of runs, and its charts, as files. */
import { basename, join } from 'node:path';
import { ProblemsError } from '../base/index.ts';
import { type Comparison, DEFAULT_MINIMUM_EFFECTS } from '../comparison/index.ts';
import { correctnessOf } from '../config/index.ts';
import { paretoDraws, storedCapacity } from '../experiment/index.ts';
import { paretoOf, type ParetoResult } from '../planner/index.ts';
import { collectCurves, htmlReport, type ReportedRun, type ReportFile } from '../report/index.ts';
import type { StepLog } from '../record/index.ts';
import type { OpenRun } from '../store/index.ts';
import type { Summary } from '../summary/index.ts';
import { writeTextFile } from './files.ts';
import { compareStored } from './compare-stored-runs.ts';
import type { CommandContext } from './context.ts';
import { batchOf } from './pareto-stored.ts';
import { specOfRun } from './stored-run.ts';
import { TOOL_VERSION } from './version.ts';

export interface ReportOutputs {
  readonly html?: string;
  readonly csv?: string;
  readonly svg?: string;
}

export interface JudgedRun {
  readonly run: OpenRun;
  readonly summary: Summary;
}

/** Whether any file was asked for. */
export function wantsFiles({ html, csv, svg }: ReportOutputs): boolean {
  return html !== undefined || csv !== undefined || svg !== undefined;
}

/**
 * Reads the records of every run once more and writes what was asked for; returns the paths.
 * Existing files are replaced: they are results of this one command.
 *
 * Errors: EnvironmentError when a file cannot be written.
 */
export async function writeReportFiles(
  judged: readonly JudgedRun[],
  outputs: ReportOutputs,
  context: CommandContext,
): Promise<string[]> {
  const { csvText, standaloneSvg } = await import('../charts/index.ts');
  const { html, charts } = await reportFileOf(judged, context);
  const written: string[] = [];
  const write = async (path: string, text: string): Promise<void> => {
    writeTextFile(path, text);
    written.push(path);
  };
  if (outputs.html !== undefined) await write(outputs.html, html);
  for (const chart of charts) {
    const { csv, svg } = outputs;
    if (csv !== undefined) writeTextFile(join(csv, `${chart.name}.csv`), csvText(chart.table));
    if (svg !== undefined) writeTextFile(join(svg, `${chart.name}.svg`), standaloneSvg(chart));
  }
  return [...written, ...[outputs.csv, outputs.svg].filter((dir) => dir !== undefined)];
}

/** The page of the runs and its charts; reads the records of every run once. */
export async function reportFileOf(
  judged: readonly JudgedRun[],
  context: CommandContext,
): Promise<ReportFile> {
  const runs: ReportedRun[] = [];
  for (const one of judged) runs.push(await reportedRun(one, context));
  return htmlReport({
    runs,
    ...(await comparisonOf(judged, context)),
    pareto: frontierOf(judged),
    toolVersion: TOOL_VERSION,
  });
}

async function reportedRun(
  { run, summary }: JudgedRun,
  context: CommandContext,
): Promise<ReportedRun> {
  const spec = specOfRun(run, context);
  const collector = await collectCurves(summary, summary.objective ?? correctnessOf(spec));
  for await (const record of run.records()) collector.add(record);
  return {
    label: basename(run.dir),
    summary,
    manifest: run.manifest,
    curves: collector.finish(),
    steps: await stepsOf(run, summary),
    capacity: await storedCapacity(run),
  };
}

async function stepsOf(run: OpenRun, { points }: Summary): Promise<Map<number, StepLog>> {
  const kept = new Map<number, StepLog>();
  for (const { index } of points) {
    const steps = await run.steps(index);
    if (steps !== null) kept.set(index, steps);
  }
  return kept;
}

/** Of exactly two runs: what changed, or why that cannot be said. */
async function comparisonOf(
  judged: readonly JudgedRun[],
  context: CommandContext,
): Promise<{ readonly comparison: Comparison | null; readonly notCompared: string | null }> {
  const [a, b] = judged;
  if (judged.length !== 2 || a === undefined || b === undefined) {
    return { comparison: null, notCompared: null };
  }
  try {
    const dirs = [a.run.dir, b.run.dir] as const;
    const comparison = await compareStored(dirs, {}, DEFAULT_MINIMUM_EFFECTS, context);
    return { comparison, notCompared: null };
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    return { comparison: null, notCompared: error.problems[0]?.message ?? 'they differ' };
  }
}

/** Output tokens against TPOT over all settings and loads; `null` of a single point or a search. */
function frontierOf(judged: readonly JudgedRun[]): ParetoResult | null {
  const draws = judged.flatMap(({ run, summary }) =>
    paretoDraws(summary, batchOf(run.dir, run.manifest)),
  );
  const settings = new Set(draws.map(({ batch, level }) => `${batch}/${level}`));
  if (settings.size < 2) return null;
  const axes = { gain: 'outputTokens', latency: 'tpotP50' } as const;
  return paretoOf(draws, { axes, drawsAsked: 1, gpus: null });
}
