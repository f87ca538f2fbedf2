/** The names of the files of a run folder (docs/record-format.md). */

export const MANIFEST_FILE = 'manifest.json';
export const SCHEDULE_FILE = 'schedule.ndjson';
export const SUMMARY_FILE = 'summary.json';
export const CAPACITY_FILE = 'capacity.json';
export const SIMULATION_FILE = 'simulation.json';
export const METRICS_FILE = 'metrics.ndjson';
export const SERVER_FILE = 'server.json';

const WHOLE_FILES: readonly string[] = [
  MANIFEST_FILE,
  SCHEDULE_FILE,
  SUMMARY_FILE,
  CAPACITY_FILE,
  SIMULATION_FILE,
  METRICS_FILE,
  SERVER_FILE,
];

const STEPS_FILE = /^steps-\d+\.ndjson$/;
const RECORDS_FILE = /^records-(\d+)\.ndjson$/;

export function recordsFile(pointIndex: number): string {
  return `records-${pointIndex}.ndjson`;
}

/** Of a simulation that kept its steps. */
export function stepsFile(pointIndex: number): string {
  return `steps-${pointIndex}.ndjson`;
}

/** The load point whose records a file holds; `null` for other files. */
export function pointOfRecordsFile(name: string): number | null {
  const index = RECORDS_FILE.exec(name)?.[1];
  return index === undefined ? null : Number(index);
}

/** Whether a run writes a file of this name. */
export function isRunFile(name: string): boolean {
  const isWhole = WHOLE_FILES.includes(name.replace(/\.tmp$/, ''));
  return isWhole || STEPS_FILE.test(name) || pointOfRecordsFile(name) !== null;
}
