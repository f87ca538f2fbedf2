/** For servers that stream either way: the first character tells SSE from a sequence of JSON. */
import type { EventDecoder, FramingFailure, FramingLimits, TakeMessage } from './event-decoder.ts';
import { JsonSequenceDecoder } from './json-sequence.ts';
import { SseDecoder } from './sse.ts';

const SPACE = 32;
const OPEN_BRACKET = 91;
const OPEN_BRACE = 123;

/**
 * No field of SSE begins with a bracket or brace, so the first character settles the framing.
 * Blanks before it are dropped: they mean nothing in either.
 */
export class SseOrJsonDecoder implements EventDecoder {
  readonly #limits: FramingLimits;
  #inner: EventDecoder | null = null;

  constructor(limits: FramingLimits) {
    this.#limits = limits;
  }

  get failure(): FramingFailure | null {
    return this.#inner?.failure ?? null;
  }

  get commentCount(): number {
    return this.#inner?.commentCount ?? 0;
  }

  get unknownFieldCount(): number {
    return this.#inner?.unknownFieldCount ?? 0;
  }

  get unterminated(): boolean {
    return this.#inner?.unterminated ?? false;
  }

  get between(): boolean {
    return this.#inner?.between ?? false;
  }

  push(piece: Uint8Array, take: TakeMessage): void {
    if (this.#inner !== null) {
      this.#inner.push(piece, take);
      return;
    }
    const at = piece.findIndex((byte) => byte > SPACE);
    if (at === -1) return;
    const isJson = piece[at] === OPEN_BRACE || piece[at] === OPEN_BRACKET;
    this.#inner = isJson ? new JsonSequenceDecoder(this.#limits) : new SseDecoder(this.#limits);
    this.#inner.push(piece.subarray(at), take);
  }

  end(take: TakeMessage): void {
    this.#inner?.end(take);
  }
}
