/**
 * The library: what the command is made of, for programs that measure or judge themselves.
 *
 * Judging: `parseObjective`, `judge`, `summarise`, `terminalReport`, `markdownReport`, `openRun`.
 * Measuring: `parseRunSpec`, `runExperiment`, `createHttpClient`, `planSchedule`, `runSchedule`.
 * What a measurement is worth: `measureClient`, `comparePairs`, `bridgeOf`, `openTokenizer`.
 * A server with known truth: `startEmulator`, `createEngine`; without a clock: `simulateSchedule`.
 * Production: `recogniseLog`, `LogTally`, `windowTable`, `budgetStatement`, `planAlerts`,
 * `comparisonCheck`, `serverPoint`, `TimePartsBuilder`.
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
export * from './comparison/index.ts';
export * from './simulator/index.ts';
export * from './calibration/index.ts';
export * from './importers/index.ts';
export * from './logs/index.ts';
export * from './duckdb/index.ts';
export * from './budget/index.ts';
export * from './gate/index.ts';
export * from './alerting/index.ts';
export * from './telemetry/index.ts';
export * from './tracing/index.ts';
export * from './conventions/index.ts';
export * from './doctor/index.ts';
export * from './tokenizers/index.ts';
export * from './wire/index.ts';
