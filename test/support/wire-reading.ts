/** Feeds bytes to the decoder and to readers, cut in every way a test can think of. */
import {
  DIALECTS,
  SseDecoder,
  type AnswerReader,
  type AnswerReading,
  type DialectName,
  type ReaderOptions,
  type SseEvent,
} from '../../src/wire/index.ts';

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** `bytes` in pieces of `size`; the last may be shorter. */
export function piecesOf(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

/** `bytes` cut at the given shares of their length. */
export function cutAt(bytes: Uint8Array, shares: readonly number[]): Uint8Array[] {
  const cuts = [...shares].sort((a, b) => a - b).map((share) => Math.floor(share * bytes.length));
  return [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length));
}

export interface Decoded {
  readonly events: readonly SseEvent[];
  readonly decoder: SseDecoder;
}

export function decode(pieces: readonly Uint8Array[], lineBytes = 1_000_000): Decoded {
  const decoder = new SseDecoder({ lineBytes });
  const events: SseEvent[] = [];
  for (const piece of pieces) decoder.push(piece, (event) => events.push(event) > 0);
  decoder.end((event) => events.push(event) > 0);
  return { events, decoder };
}

/** One socket read: what came, and when. */
export interface Read {
  readonly atMs: number;
  readonly text: string | Uint8Array;
}

export interface ReadAnswerOptions extends Partial<ReaderOptions> {
  readonly dialect?: DialectName;
  readonly end?: 'complete' | 'cut' | 'open';
}

/** Some texts that came in one read. */
export const at = (atMs: number, ...texts: string[]): Read => ({ atMs, text: texts.join('') });

/** A reader that keeps text, of a stream unless told otherwise. */
export function readerFor(options: ReadAnswerOptions): AnswerReader {
  return DIALECTS[options.dialect ?? 'chat'].createReader({
    stream: true,
    requestedChoices: 1,
    lineBytes: 1_000_000,
    keepText: true,
    ...options,
  });
}

/** What a reader makes of these reads. */
export function readAnswer(reads: readonly Read[], options: ReadAnswerOptions = {}): AnswerReading {
  const reader = readerFor(options);
  for (const [readId, { atMs, text }] of reads.entries()) {
    reader.push(typeof text === 'string' ? utf8(text) : text, atMs * 1_000_000, readId);
  }
  const end = options.end ?? 'complete';
  if (end !== 'open') reader.end(end);
  return reader.reading;
}

/** Events as servers write them, for tests that spell a stream out. */
export const sse = {
  json: (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`,
  named: (event: string, value: unknown): string =>
    `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`,
  delta: (delta: object, more: object = {}, choice: object = {}): string =>
    sse.json({ choices: [{ index: 0, delta, finish_reason: null, ...choice }], ...more }),
  role: (): string => sse.delta({ role: 'assistant', content: '' }),
  content: (text: string, more: object = {}): string => sse.delta({ content: text }, more),
  finish: (reason = 'stop', more: object = {}): string =>
    sse.delta({}, more, { finish_reason: reason }),
  usage: (completion: number, prompt = 10): string =>
    sse.json({
      choices: [],
      usage: { prompt_tokens: prompt, completion_tokens: completion },
    }),
  done: (): string => 'data: [DONE]\n\n',
};
