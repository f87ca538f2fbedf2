/** Writes a run: its manifest, schedules, records and summary, each readable at any moment. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonValue, printable, ProblemsError, usageProblem } from '../base/index.ts';
import { type Manifest, recordLine, type RequestRecord, type StepLog } from '../record/index.ts';
import type { Summary } from '../summary/index.ts';
import type { Schedule } from '../workload/index.ts';
import { makeFolder } from './make-folder.ts';
import { systemCode, writeFailure } from './file-errors.ts';
import { readTextFile, writeJsonFile } from './json-file.ts';
import { LineFile } from './line-file.ts';
import { isOurManifest } from './manifest-shape.ts';
import {
  CAPACITY_FILE,
  isRunFile,
  MANIFEST_FILE,
  METRICS_FILE,
  recordsFile,
  SCHEDULE_FILE,
  SERVER_FILE,
  SIMULATION_FILE,
  stepsFile,
  SUMMARY_FILE,
} from './run-files.ts';

/** The folder of a run in progress. All methods may fail with `EnvironmentError` (file, disk). */
export interface RunFolder {
  readonly dir: string;
  /** Replaces the manifest as a whole. Write it first: it marks the folder as a run. */
  writeManifest(manifest: Manifest): Promise<void>;
  /** Adds the schedule of one point: a line about the point, then a line per request. */
  writeSchedule(pointIndex: number, schedule: Schedule): Promise<void>;
  /**
   * Takes a record; it is in the file within a second, come what may to this process. Returns a
   * promise when so much is unwritten that the caller should wait. No record is ever lost.
   */
  appendRecord(record: RequestRecord): void | Promise<void>;
  writeSummary(summary: Summary): Promise<void>;
  /** Replaces what a capacity search knows: its plan, its windows, what they say. */
  writeCapacity(capacity: JsonValue): Promise<void>;
  /** Replaces what a simulated service did beside serving: replicas, transfers. */
  writeSimulation(simulation: JsonValue): Promise<void>;
  /** Writes what a simulated service computed when: a line about the point, then one per row. */
  writeSteps(pointIndex: number, steps: StepLog): Promise<void>;
  /** Takes one look at an engine's metrics, as {@link appendRecord} takes a record. */
  appendScrape(scrape: JsonValue): void | Promise<void>;
  /** Replaces what the engines' metrics say of each load point. */
  writeServer(server: JsonValue): Promise<void>;
  /** Resolves when all that was handed over is in its files. */
  flush(): Promise<void>;
  /** Flushes everything and has the disk keep it. */
  close(): Promise<void>;
}

/**
 * Makes the folder, with its parents.
 *
 * Errors: `ProblemsError` (`E_USAGE_CONFLICT`) when the folder holds something else than a run, or
 * a run and `force` is not given. With `force` the old run's files are deleted, and only those.
 */
export async function createRunFolder(
  dir: string,
  options: { readonly force: boolean },
): Promise<RunFolder> {
  await claim(dir, options.force);
  return folderAt(dir, new LineFile(join(dir, SCHEDULE_FILE)));
}

/**
 * Opens the folder of an earlier run to add load points to it. Records of points that are there
 * already are not touched; the caller numbers new points beyond them.
 */
export function extendRunFolder(dir: string): RunFolder {
  return folderAt(dir, new LineFile(join(dir, SCHEDULE_FILE), { mayExist: true }));
}

function folderAt(dir: string, scheduleFile: LineFile): RunFolder {
  const recordFiles = new Map<number, LineFile>();
  // Made at its first line, so a run that looks at no engine has no such file.
  const scrapeFile = new LineFile(join(dir, METRICS_FILE), { mayExist: true });
  const lineFiles = (): LineFile[] => [scheduleFile, scrapeFile, ...recordFiles.values()];
  return {
    dir,
    writeManifest: (manifest) => writeJsonFile(join(dir, MANIFEST_FILE), manifest),
    async writeSchedule(pointIndex, schedule) {
      const { requests, ...point } = schedule;
      await scheduleFile.append(
        JSON.stringify({ pointIndex, ...point, requestCount: requests.length }),
      );
      for (const request of requests) {
        await scheduleFile.append(JSON.stringify({ pointIndex, ...request }));
      }
      await scheduleFile.flush();
    },
    appendRecord(record) {
      let file = recordFiles.get(record.pointIndex);
      if (file === undefined) {
        file = new LineFile(join(dir, recordsFile(record.pointIndex)));
        recordFiles.set(record.pointIndex, file);
      }
      return file.append(recordLine(record));
    },
    writeSummary: (summary) => writeJsonFile(join(dir, SUMMARY_FILE), summary),
    writeCapacity: (capacity) => writeJsonFile(join(dir, CAPACITY_FILE), capacity),
    writeSimulation: (simulation) => writeJsonFile(join(dir, SIMULATION_FILE), simulation),
    async writeSteps(pointIndex, { rows, cutNs }) {
      const file = new LineFile(join(dir, stepsFile(pointIndex)));
      try {
        await file.append(JSON.stringify({ pointIndex, rowCount: rows.length, cutNs }));
        for (const row of rows) await file.append(JSON.stringify(row));
      } finally {
        await file.close();
      }
    },
    appendScrape: (scrape) => scrapeFile.append(JSON.stringify(scrape)),
    writeServer: (server) => writeJsonFile(join(dir, SERVER_FILE), server),
    async flush() {
      await Promise.all(lineFiles().map((file) => file.flush()));
    },
    async close() {
      const closed = await Promise.allSettled(lineFiles().map((file) => file.close()));
      for (const result of closed) if (result.status === 'rejected') throw result.reason;
    },
  };
}

/** Makes sure that everything in the folder will be ours. */
async function claim(dir: string, force: boolean): Promise<void> {
  await requireFreeFolder(dir, { force });
  try {
    makeFolder(dir);
    for (const name of (await readdir(dir)).filter(isRunFile)) await rm(join(dir, name));
  } catch (error) {
    throw writeFailure(dir, error);
  }
}

/**
 * Whether {@link createRunFolder} may have the folder, asked before there is anything to put in
 * it. Changes nothing.
 *
 * Errors: as {@link createRunFolder}.
 */
export async function requireFreeFolder(
  dir: string,
  { force }: { readonly force: boolean },
): Promise<void> {
  let names: string[];
  try {
    names = await readdir(dir);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    const exists = await stat(dir).catch(() => null);
    if (exists?.isFile() === true) throw conflict(`${printable(dir)} is a file, not a folder`);
    throw writeFailure(dir, error);
  }
  if (names.length === 0) return;
  const manifest = await readTextFile(join(dir, MANIFEST_FILE));
  if (manifest === null || !isOurManifest(manifest)) {
    throw conflict(
      `${printable(dir)} is not empty and holds no run`,
      'choose an empty or new folder with --out',
    );
  }
  if (!force) {
    throw conflict(
      `${printable(dir)} already holds a run`,
      'choose another folder with --out, or replace the run with --force',
    );
  }
}

function conflict(message: string, hint = 'choose another folder with --out'): ProblemsError {
  return new ProblemsError([usageProblem('E_USAGE_CONFLICT', message, hint)]);
}
