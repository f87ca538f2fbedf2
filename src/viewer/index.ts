/**
 * `viewer`: a local server that shows the runs of a folder. Start with `view-server.ts`; `guard.ts`
 * says who may ask, `run-shelf.ts` what it needs to know of folders. Its pages are the `report` room's.
 */
export * from './run-shelf.ts';
export * from './view-server.ts';
