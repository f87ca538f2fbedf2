/** The run folders in one folder, as the viewer asks for them. */
import { basename, join } from 'node:path';
import { ProblemsError, usageProblem } from '../base/index.ts';
import { correctnessOf } from '../config/index.ts';
import { followRecords, listRuns, openRun } from '../store/index.ts';
import type { RunShelf } from '../viewer/index.ts';
import type { CommandContext } from './context.ts';
import { reportFileOf, type JudgedRun } from './report-files.ts';
import { judgeStoredRun, specOfRun } from './stored-run.ts';

/** Errors: as `listRuns`; ProblemsError when `dir` holds no run. */
export async function runShelf(dir: string, context: CommandContext): Promise<RunShelf> {
  const names = async (): Promise<string[]> => (await listRuns(dir)).map((path) => basename(path));
  if ((await names()).length === 0) {
    const message = 'there is no run in this folder';
    const hint = 'give the folder that holds run folders, like goodput-runs';
    throw new ProblemsError([usageProblem('E_USAGE_VALUE', message, hint)]);
  }
  const open = (name: string) => openRun(join(dir, name));
  return {
    names,
    async open(name) {
      const run = await open(name);
      return { name, manifest: run.manifest, summary: await run.summary() };
    },
    async objectiveOf(name) {
      const spec = specOfRun(await open(name), context);
      return spec.objective ?? correctnessOf(spec);
    },
    async *records(name, pointIndex) {
      yield* (await open(name)).records(pointIndex);
    },
    follow: (name, pointIndex) => followRecords(join(dir, name), pointIndex),
    async report(wanted) {
      const judged: JudgedRun[] = [];
      for (const name of wanted) {
        const run = await open(name);
        const summary = await run.summary();
        judged.push(
          summary === null
            ? await judgeStoredRun(run.dir, (spec) => spec.objective, context)
            : { run, summary },
        );
      }
      return (await reportFileOf(judged, context)).html;
    },
  };
}
