/**
 * `calibration`: measured runs → the factors of a step cost, and how far the simulator is from the
 * runs with them. Start with `fit-factors.ts`; `replay.ts` serves a measured run again and
 * `compare.ts` says what differs.
 */
export * from './compare.ts';
export * from './fit-factors.ts';
export * from './least-squares.ts';
export * from './observed-run.ts';
export * from './replay.ts';
