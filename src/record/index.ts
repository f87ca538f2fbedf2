/**
 * `record`: the one request record, the manifest beside it, and the measures of one timeline.
 * Start with `request-record.ts`; `measures.ts` turns a timeline into TTFT, TPOT, gaps and
 * completion; `record-line.ts` writes a record as a line of NDJSON and `record-codec.ts` reads it. Pure data and
 * arithmetic: no objectives, no populations, no I/O.
 */
export * from './check-record.ts';
export * from './client-calibration.ts';
export { localOutputTokens } from './counted-tokens.ts';
export * from './logical-request.ts';
export * from './manifest.ts';
export * from './measures.ts';
export type { TokenAlignment } from './output-measures.ts';
export * from './record-codec.ts';
export * from './record-line.ts';
export * from './request-record.ts';
export * from './send-port.ts';
export * from './step-row.ts';
export * from './unmeasured-reason.ts';
