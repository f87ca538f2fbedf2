/**
 * `store`: the run folder. `run-folder.ts` writes it so that a crash leaves all but the last
 * second readable; `open-run.ts` reads it back in bounded memory. Judges nothing.
 */
export { parseCalibration } from './calibration-file.ts';
export * from './follow-records.ts';
export { writeJsonFile } from './json-file.ts';
export * from './list-runs.ts';
export * from './make-folder.ts';
export * from './open-run.ts';
export * from './redact-url.ts';
export * from './run-folder.ts';
export * from './read-line-batches.ts';
export { MANIFEST_FILE } from './run-files.ts';
