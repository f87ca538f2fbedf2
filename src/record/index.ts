/**
 * `record`: the one request record, the manifest beside it, and the measures of one timeline.
 * Start with `request-record.ts`; `measures.ts` turns a timeline into TTFT, TPOT, gaps and
 * completion. Pure data and arithmetic: no objectives, no populations, no I/O.
 */
export * from './manifest.ts';
export * from './measures.ts';
export type { TokenAlignment } from './output-measures.ts';
export * from './request-record.ts';
export * from './send-port.ts';
export * from './unmeasured-reason.ts';
