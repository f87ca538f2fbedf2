/**
 * JSON values one after the other: one a line (NDJSON), or the elements of one array, which is how
 * a stream of messages is sent as plain JSON. A value counts when its last bracket is there, so a
 * last line needs no line end. Pieces are cut by counting brackets outside strings; whether a piece
 * is JSON is for its reader to see.
 */
import type { EventDecoder, FramingFailure, FramingLimits, TakeMessage } from './event-decoder.ts';

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const NO_BYTES = new Uint8Array(0);

/** Where the decoder is: before anything, between values, inside one, or behind the array. */
type Place = 'start' | 'between' | 'inside' | 'over';

export class JsonSequenceDecoder implements EventDecoder {
  readonly commentCount = 0;
  readonly unknownFieldCount = 0;
  readonly #lineBytes: number;
  readonly #text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #failure: FramingFailure | null = null;
  #stopped = false;
  #place: Place = 'start';
  #inArray = false;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The value that earlier pieces began: the first `#heldLength` bytes. */
  #held = NO_BYTES;
  #heldLength = 0;

  constructor(limits: FramingLimits) {
    this.#lineBytes = limits.lineBytes;
  }

  get failure(): FramingFailure | null {
    return this.#failure;
  }

  get unterminated(): boolean {
    return this.#failure === null && (this.#place === 'inside' || this.#arrayOpen);
  }

  get between(): boolean {
    return !this.#isOver() && this.#place === 'between';
  }

  get #arrayOpen(): boolean {
    return this.#inArray && this.#place !== 'over';
  }

  push(piece: Uint8Array, take: TakeMessage): void {
    if (this.#isOver()) return;
    let from = 0;
    for (let at = 0; at < piece.length && !this.#isOver(); at += 1) {
      const byte = piece[at] as number;
      if (this.#place !== 'inside') {
        this.#outside(byte);
        from = at;
      } else if (this.#closes(byte)) {
        this.#complete(piece.subarray(from, at + 1), take);
      } else if (this.#heldLength + at + 1 - from > this.#lineBytes) {
        this.#failure = 'lineLimit';
      }
    }
    if (!this.#isOver() && this.#place === 'inside') this.#hold(piece.subarray(from));
  }

  end(_take: TakeMessage): void {}

  /** A byte between values. Anything but blanks, commas and brackets there is not JSON. */
  #outside(byte: number): void {
    if (byte <= 32 || (byte === COMMA && this.#place === 'between' && this.#inArray)) return;
    if (byte === OPEN_BRACE && this.#place !== 'over') {
      this.#place = 'inside';
      this.#depth = 1;
    } else if (byte === OPEN_BRACKET && this.#place === 'start') {
      this.#place = 'between';
      this.#inArray = true;
    } else if (byte === CLOSE_BRACKET && this.#arrayOpen) {
      this.#place = 'over';
    } else {
      this.#failure = 'json';
    }
  }

  /** Whether this byte closes the value it is inside of. */
  #closes(byte: number): boolean {
    if (this.#escaped) this.#escaped = false;
    else if (this.#inString) {
      if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) this.#inString = false;
    } else if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#depth -= 1;
    return this.#depth === 0;
  }

  #complete(rest: Uint8Array, take: TakeMessage): void {
    const length = this.#heldLength + rest.length;
    if (length > this.#lineBytes) {
      this.#failure = 'lineLimit';
      return;
    }
    let value = rest;
    if (this.#heldLength > 0) {
      this.#hold(rest);
      value = this.#held.subarray(0, length);
    }
    this.#heldLength = 0;
    this.#place = 'between';
    const data = this.#decoded(value);
    if (data !== null) this.#stopped = !take({ event: null, data, isStray: false });
  }

  #decoded(bytes: Uint8Array): string | null {
    try {
      return this.#text.decode(bytes);
    } catch {
      this.#failure = 'utf8';
      return null;
    }
  }

  #isOver(): boolean {
    return this.#failure !== null || this.#stopped;
  }

  #hold(bytes: Uint8Array): void {
    const length = this.#heldLength + bytes.length;
    if (length > this.#held.length) {
      const grown = new Uint8Array(Math.max(256, 2 * length));
      grown.set(this.#held.subarray(0, this.#heldLength));
      this.#held = grown;
    }
    this.#held.set(bytes, this.#heldLength);
    this.#heldLength = length;
  }
}
