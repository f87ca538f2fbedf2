/**
 * `workload`: a spec and named seeds in, a schedule out. Start with `spec.ts`, then `schedule.ts`.
 * Pure: files are read elsewhere and handed in as entries.
 */
export * from './schedule.ts';
export * from './spec.ts';
