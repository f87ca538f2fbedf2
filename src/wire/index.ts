/**
 * `wire`: bytes ↔ events, sans-I/O. `sse.ts` frames, one file per API dialect builds the request
 * and reads the answer, `openai-encode.ts` is the server's side for the emulator. Start with
 * `dialect.ts`. Knows no sockets, no clocks and no objectives.
 */
export * from './dialect.ts';
export * from './dialects.ts';
export * from './openai-encode.ts';
export * from './server-error.ts';
export * from './sse.ts';
export * from './json-object.ts';
