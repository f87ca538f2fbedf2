/**
 * `wire`: bytes ↔ events, sans-I/O. `event-decoder.ts` is what every framing gives (SSE, JSON
 * sequences, AWS frames), `answer-reader.ts` reads any answer by its `answer-format.ts`, and one
 * file per API dialect builds the request and says what its messages mean. `encoders.ts` is
 * the server's side for the emulator. Start with `dialect.ts`. Knows no sockets, no clocks and no objectives.
 */
export * from './dialect.ts';
export * from './dialects.ts';
export * from './answer-encoder.ts';
export * from './encoders.ts';
export * from './openai-encode.ts';
export { AwsEventStreamDecoder, awsFrame } from './aws-event-stream.ts';
export * from './event-decoder.ts';
export { JsonSequenceDecoder } from './json-sequence.ts';
export { SseOrJsonDecoder } from './sse-or-json.ts';
export * from './server-error.ts';
export * from './sse.ts';
export * from './json-object.ts';
