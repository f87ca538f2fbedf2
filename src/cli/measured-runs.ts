/** Measured runs named on the command line: our run folders, or LLMServingSim's logs. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { printable, ProblemsError, usageProblem } from '../base/index.ts';
import { observeRun, type ObservedRun } from '../calibration/index.ts';
import {
  type Imported,
  type LlmServingSimSettings,
  parseLlmServingSimLog,
  parseLlmServingSimMeta,
} from '../importers/index.ts';
import type { RequestRecord } from '../record/index.ts';
import { openRun } from '../store/index.ts';
import { readTextFile } from './files.ts';

const LOG_FILE = 'requests.jsonl';
const META_FILE = 'meta.json';

export interface MeasuredRun {
  readonly observed: ObservedRun;
  /** What a file beside the records says of the server; `null` = nothing does. */
  readonly settings: LlmServingSimSettings | null;
}

/**
 * The runs at `path`: one per load point of a run folder, or the one of a log (its folder, or its
 * `requests.jsonl`).
 * Errors: ProblemsError for a broken file or a run without usable requests.
 */
export async function readMeasuredRuns(path: string): Promise<MeasuredRun[]> {
  const log = existsSync(join(path, LOG_FILE)) ? join(path, LOG_FILE) : path;
  const runs = log.endsWith('.jsonl') ? [readLog(log)] : await readRunFolder(path);
  for (const { observed } of runs) {
    if (observed.requests.length > 0) continue;
    const message = `${printable(observed.name)} has no answered request with known token counts`;
    throw new ProblemsError([usageProblem('E_USAGE_VALUE', message)]);
  }
  return runs;
}

function readLog(file: string): MeasuredRun {
  const meta = join(dirname(file), META_FILE);
  const settings = existsSync(meta)
    ? imported(parseLlmServingSimMeta(readTextFile(meta), { file: meta }))
    : null;
  const records = imported(parseLlmServingSimLog(readTextFile(file), { file }));
  return { observed: observeRun(basename(dirname(file)), records), settings };
}

async function readRunFolder(dir: string): Promise<MeasuredRun[]> {
  const run = await openRun(dir);
  const runs: MeasuredRun[] = [];
  for (const point of run.pointIndexes) {
    const records: RequestRecord[] = [];
    for await (const record of run.records(point)) records.push(record);
    const name = run.pointIndexes.length === 1 ? dir : `${dir} point ${point}`;
    runs.push({ observed: observeRun(name, records), settings: null });
  }
  return runs;
}

/** Errors: ProblemsError with all that is wrong with the file. */
export function imported<T>(result: Imported<T>): T {
  if (result.kind === 'problems') throw new ProblemsError(result.problems);
  return result.value;
}
