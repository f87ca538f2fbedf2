/** `goodput report RUN --chrome-trace FILE`: the steps of a stored simulation for trace viewers. */
import { printable, ProblemsError, usageProblem } from '../base/index.ts';
import { chromeTrace, type TracedPoint, traceEvery } from '../report/index.ts';
import { writeTextFile } from './files.ts';
import type { JudgedRun } from './report-files.ts';

/**
 * Reads the steps and a sample of the records of every load point. An existing file is replaced.
 *
 * Errors: ProblemsError when the run kept no steps; EnvironmentError when the file cannot be written.
 */
export async function writeTraceFile(judged: JudgedRun, path: string): Promise<void> {
  const points = await tracedPoints(judged);
  if (points.length === 0) {
    const message = `${printable(judged.run.dir)} has no steps to trace`;
    const hint = 'goodput simulate --steps keeps them; a measured run has none';
    throw new ProblemsError([usageProblem('E_USAGE_CONFLICT', message, hint)]);
  }
  writeTextFile(path, chromeTrace(points));
}

async function tracedPoints({ run, summary }: JudgedRun): Promise<TracedPoint[]> {
  const points: TracedPoint[] = [];
  for (const { index, load, ledger } of summary.points) {
    const steps = await run.steps(index);
    if (steps === null) continue;
    const requestEvery = traceEvery(ledger.scheduled);
    const records = [];
    for await (const record of run.records(index)) {
      if (record.scheduleIndex % requestEvery === 0) records.push(record);
    }
    points.push({ label: load.label, steps, records, requestEvery });
  }
  return points;
}
