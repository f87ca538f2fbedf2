/**
 * `emulator` †: a server of several API dialects without a model. Its pace comes from the batching
 * engine, so that overload looks like overload, and it logs when every event really left, so that
 * a client can be checked against the truth.
 *
 * Read `emulator-options.ts` (what can be set), `step-driver.ts` (how the engine lives in real
 * time), `generation.ts` (one answer), `faulty-writer.ts` (what goes wrong on demand), then
 * `emulated-server.ts` (routes) and `start-emulator.ts` (the socket).
 */
export * from './emission-log.ts';
export * from './emulator-options.ts';
export * from './start-emulator.ts';
export type { EmulatorLateness, EmulatorStats } from './emulated-server.ts';
export type { Lateness } from './lateness-meter.ts';
