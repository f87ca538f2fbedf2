/**
 * `workers`: the same function over many inputs, on all cores. `run-jobs.ts` hands jobs to worker
 * threads and collects the results in order; `serve-jobs.ts` is the other side, called by the
 * module that a thread runs.
 */
export * from './run-jobs.ts';
export * from './serve-jobs.ts';
