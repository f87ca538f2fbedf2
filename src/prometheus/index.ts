/**
 * `prometheus`: metrics as exposition text and back. Read `metric-family.ts` (the shapes), then
 * `render-metrics.ts` and `parse-metrics.ts`, which undo each other, then `histogram.ts`.
 * Text only: scraping and serving belong to other rooms.
 */
export * from './histogram.ts';
export * from './metric-family.ts';
export * from './parse-metrics.ts';
export * from './render-metrics.ts';
