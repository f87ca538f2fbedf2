/**
 * The library: what the command is made of, for programs that measure or judge themselves.
 *
 * Judging: `parseObjective`, `judge`, `summarise`, `terminalReport`, `markdownReport`, `openRun`.
 * Measuring: `parseRunSpec`, `runExperiment`, `createHttpClient`, `planSchedule`, `runSchedule`.
 * A server with known truth: `startEmulator`, `createEngine`.
 * Arithmetic: `quantile`, `wilsonInterval`, queueing formulas, `replicasFor`.
 */
export * from './base/index.ts';
export * from './stats/index.ts';
export * from './record/index.ts';
export * from './slo/index.ts';
export * from './summary/index.ts';
export * from './planner/index.ts';
export * from './workload/index.ts';
export * from './engine/index.ts';
export * from './config/index.ts';
export * from './report/index.ts';
export * from './client/index.ts';
export * from './loadgen/index.ts';
export * from './faults/index.ts';
export * from './emulator/index.ts';
export * from './store/index.ts';
export * from './experiment/index.ts';
