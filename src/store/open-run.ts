/** Reads a run folder back, a finished run or one that crashed. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Problem, printable, ProblemsError } from '../base/index.ts';
import {
  isCutLine,
  isRecordProblem,
  type Manifest,
  parseRecordLine,
  type RequestRecord,
  type StepLog,
} from '../record/index.ts';
import { type Summary, SUMMARY_SCHEMA_VERSION } from '../summary/index.ts';
import { readFailure } from './file-errors.ts';
import { readTextFile } from './json-file.ts';
import { NOT_A_RUN_HINT, parseManifest } from './manifest-shape.ts';
import { type Line, readLines } from './read-lines.ts';
import { readSteps } from './read-steps.ts';
import {
  CAPACITY_FILE,
  MANIFEST_FILE,
  pointOfRecordsFile,
  recordsFile,
  SERVER_FILE,
  stepsFile,
  SUMMARY_FILE,
} from './run-files.ts';

/** Far longer than any sound record; keeps a damaged file from filling memory. */
const RECORD_LIMIT_BYTES = 64 * 1_024 * 1_024;
/** Of one file, this many problems are reported; a wrong file has as many as lines. */
const PROBLEMS_SHOWN = 20;

export interface OpenRun {
  readonly dir: string;
  readonly manifest: Manifest;
  /** Load points that have records, ascending. */
  readonly pointIndexes: readonly number[];
  /**
   * The records of one point, or of all, in the order they were written; one at a time in memory.
   *
   * Errors: `ProblemsError` (`E_RECORD_FORMAT`) after a file's last line, when any of its lines
   * is no sound record; `EnvironmentError` when a file cannot be read.
   */
  records(pointIndex?: number): AsyncGenerator<RequestRecord>;
  /**
   * What was tolerated in the files read so far: a last record cut by a crash (`cutRecord`s are
   * not among the records). Say it to the user.
   */
  readonly problems: readonly Problem[];
  /**
   * The run's own summary; `null` when it ended before it wrote one.
   * Errors: `ProblemsError` (`E_RUN_FORMAT`).
   */
  summary(): Promise<Summary | null>;
  /** Text of the capacity search's own file; `null` when the run was none. */
  capacityText(): Promise<string | null>;
  /**
   * What a simulated service computed when, in one load point; `null` when its steps were not kept.
   * Errors: `ProblemsError` (`E_RUN_FORMAT`).
   */
  steps(pointIndex: number): Promise<StepLog | null>;
  /** Text of what the engines' metrics say; `null` when the run looked at none. */
  serverText(): Promise<string | null>;
}

/**
 * Opens the run in `dir`.
 *
 * Errors: `ProblemsError` (`E_RUN_FORMAT`) when the folder is not a run, or of a later format.
 */
export async function openRun(dir: string): Promise<OpenRun> {
  const manifestPath = join(dir, MANIFEST_FILE);
  const text = await readTextFile(manifestPath);
  if (text === null) {
    throw runProblem(`${printable(dir)} is not a run: it has no ${MANIFEST_FILE}`, NOT_A_RUN_HINT);
  }
  const manifest = parseManifest(text, manifestPath);
  if (!('runId' in manifest)) throw new ProblemsError(manifest);
  const pointIndexes = await findPoints(dir);
  const cuts = new Map<string, Problem>();
  return {
    dir,
    manifest,
    pointIndexes,
    async *records(pointIndex) {
      const wanted = pointIndex === undefined ? pointIndexes : [pointIndex];
      for (const index of wanted.filter((each) => pointIndexes.includes(each))) {
        yield* readRecords(join(dir, recordsFile(index)), index, (cut) => {
          cuts.set(cut.place?.file ?? '', cut);
        });
      }
    },
    get problems() {
      return [...cuts.values()];
    },
    summary: () => readSummary(join(dir, SUMMARY_FILE)),
    capacityText: () => readTextFile(join(dir, CAPACITY_FILE)),
    steps: (pointIndex) => readSteps(join(dir, stepsFile(pointIndex))),
    serverText: () => readTextFile(join(dir, SERVER_FILE)),
  };
}

async function findPoints(dir: string): Promise<number[]> {
  try {
    return (await readdir(dir))
      .map(pointOfRecordsFile)
      .filter((index) => index !== null)
      .toSorted((a, b) => a - b);
  } catch (error) {
    throw readFailure(dir, error);
  }
}

async function* readRecords(
  path: string,
  pointIndex: number,
  onCut: (cut: Problem) => void,
): AsyncGenerator<RequestRecord> {
  const problems: Problem[] = [];
  let problemCount = 0;
  for await (const line of readLines(path, RECORD_LIMIT_BYTES)) {
    const parsed = parseLine(line, path, pointIndex);
    if (!isRecordProblem(parsed)) yield parsed;
    else if (wasCut(line)) onCut(parsed);
    else {
      problemCount += 1;
      if (problems.length < PROBLEMS_SHOWN) problems.push(parsed);
    }
  }
  const last = problems.at(-1);
  if (last === undefined) return;
  const more = problemCount - problems.length;
  if (more > 0) {
    problems.push({ ...last, message: `${more} more lines are not sound records`, hint: null });
  }
  throw new ProblemsError(problems);
}

/** Only the end of a file can be cut; a power loss may leave it filled with zeros. */
function wasCut(line: Line): boolean {
  return !line.ended && (isCutLine(line.text) || line.text.includes('\0'));
}

function parseLine(line: Line, path: string, pointIndex: number): RequestRecord | Problem {
  const place = { file: path, line: line.number };
  const problem = (message: string): Problem => ({
    code: 'E_RECORD_FORMAT',
    message,
    hint: null,
    place: { ...place, column: 1 },
  });
  if (line.overLimit) return problem('the line is longer than any record can be');
  const parsed = parseRecordLine(line.text, place);
  if (isRecordProblem(parsed) || parsed.pointIndex === pointIndex) return parsed;
  return problem(`the record is of point ${parsed.pointIndex}, not of this file's ${pointIndex}`);
}

async function readSummary(path: string): Promise<Summary | null> {
  const text = await readTextFile(path);
  if (text === null) return null;
  let summary: Partial<Summary> | null;
  try {
    summary = JSON.parse(text);
  } catch {
    throw runProblem(`${printable(path)} is not JSON`, 'judge the run again to rewrite it');
  }
  if (summary?.schemaVersion !== SUMMARY_SCHEMA_VERSION || !Array.isArray(summary.points)) {
    throw runProblem(
      `${basename(path)} is not a summary of format ${SUMMARY_SCHEMA_VERSION}`,
      'judge the run again to rewrite it',
    );
  }
  return summary as Summary;
}

function runProblem(message: string, hint: string): ProblemsError {
  return new ProblemsError([{ code: 'E_RUN_FORMAT', message, hint, place: null }]);
}
