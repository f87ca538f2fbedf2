/**
 * `base`: what every room stands on. Units, errors and exit codes, the clock port with its real
 * and virtual clocks, named random streams, safe text. Start with `units.ts` and `errors.ts`.
 * Knows nothing about requests, servers or statistics.
 */
export * from './calendar-time.ts';
export * from './canonical.ts';
export * from './clock.ts';
export * from './error-codes.ts';
export * from './errors.ts';
export * from './markup.ts';
export { percentText } from './percent-text.ts';
export * from './rng.ts';
export * from './rounded-figures.ts';
export * from './text.ts';
export * from './units.ts';
