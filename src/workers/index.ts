/**
 * `workers`: more than one core. The same function over many inputs: `run-jobs.ts` hands jobs to
 * worker threads and collects the results in order; `serve-jobs.ts` is the other side, called by the
 * module that a thread runs. A process that is talked to while it works: `worker-process.ts`, both
 * sides.
 */
export * from './run-jobs.ts';
export * from './serve-jobs.ts';
export * from './worker-process.ts';
export { receivedError, type SentError, sentError } from './messages.ts';
