/**
 * `doctor`: what a client adds to the truth. Start with `planned-load.ts` (which load to try it
 * under) and `load-schedule.ts` (that load as requests); `stamp-ages.ts` lays its stamps beside the
 * instants at which a server really sent; `findings.ts` says what is wrong and what to do. Pure.
 */
export * from './findings.ts';
export * from './load-schedule.ts';
export * from './planned-load.ts';
export * from './stamp-ages.ts';
