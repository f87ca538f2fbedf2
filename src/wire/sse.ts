/**
 * Server-sent events by the WHATWG rules, on bytes, fed in any pieces.
 *
 * Lines are found with two native searches per piece (LF and CR), and only a line cut by the end
 * of a piece is copied, so the cost hardly depends on how the network cut the stream. UTF-8 is
 * decoded line by line: line ends are never inside a character, so a whole line is whole text.
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

import { JsonSequenceDecoder } from './json-sequence.ts';
import type { EventDecoder, FramingLimits, StreamMessage } from './event-decoder.ts';

/** Takes an event and says whether another is wanted. */
export type TakeEvent = (event: SseEvent) => boolean;

/** One dispatched event. */
export interface SseEvent extends StreamMessage {
  /** The `event` field; `null` when absent or empty (the standard's `message`). */
  readonly event: string | null;
  /** The `id` field of this event. The standard's "last event id" is the last one not `null`. */
  readonly id: string | null;
  /** The `data` lines joined with LF. May be empty. */
  readonly data: string;
}

/** Why a stream cannot be read on. */
export type SseFailure = 'utf8' | 'lineLimit';

const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;
const OPEN_BRACE = 123;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;
const NO_BYTES = new Uint8Array(0);

/**
 * Decodes one response. The events are the same for every way to cut the bytes into pieces.
 * After a failure nothing more is read.
 */
export class SseDecoder implements EventDecoder {
  readonly #lineBytes: number;
  readonly #text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  /** Bytes of the byte order mark seen so far; `null` once the start of the stream is behind. */
  #markBytes: number | null = 0;
  /** The line that the last piece cut: the first `#partialLength` bytes. */
  #partial = NO_BYTES;
  #partialLength = 0;
  /** The last piece ended in CR: an LF that follows belongs to the same line end. */
  #skipLf = false;

  #event = '';
  #id: string | null = null;
  #data: string | null = null;
  #dataBytes = 0;

  #failure: SseFailure | null = null;
  #stopped = false;
  #commentCount = 0;
  #retryMs: number | null = null;
  #unknownFieldCount = 0;
  /** Reads unknown lines from one that opens a JSON object: an error body without framing. */
  #stray: JsonSequenceDecoder | null = null;

  /** `lineBytes` bounds a line, and the data of an event. */
  constructor(limits: FramingLimits) {
    this.#lineBytes = limits.lineBytes;
  }

  get failure(): SseFailure | null {
    return this.#failure;
  }

  /** Comment lines so far (keep-alives). */
  get commentCount(): number {
    return this.#commentCount;
  }

  /** The last valid `retry` field; `null` when there was none. */
  get retryMs(): number | null {
    return this.#retryMs;
  }

  /** Lines whose field the standard does not know, e.g. `error: {…}`. They are ignored. */
  get unknownFieldCount(): number {
    return this.#unknownFieldCount;
  }

  /** Whether bytes are left that no blank line has dispatched. Says nothing after a failure. */
  get unterminated(): boolean {
    return this.#failure === null && (this.#data !== null || this.#partialLength > 0);
  }

  get between(): boolean {
    if (this.#isOver() || this.#markBytes !== null || this.#skipLf) return false;
    const isFresh = this.#data === null && this.#event === '' && this.#id === null;
    return isFresh && this.#partialLength === 0;
  }

  push(piece: Uint8Array, take: TakeEvent): void {
    if (this.#isOver()) return;
    const bytes = this.#markBytes === null ? piece : this.#withoutMark(piece);
    let from = 0;
    if (this.#skipLf && bytes.length > 0) {
      this.#skipLf = false;
      if (bytes[0] === LF) from = 1;
    }
    let nextLf = bytes.indexOf(LF, from);
    let nextCr = bytes.indexOf(CR, from);
    while (nextLf !== -1 || nextCr !== -1) {
      const endsInCr = nextCr !== -1 && (nextLf === -1 || nextCr < nextLf);
      const end = endsInCr ? nextCr : nextLf;
      this.#line(bytes, from, end, take);
      if (this.#isOver()) return;
      from = end + 1;
      if (endsInCr) {
        if (from === bytes.length) this.#skipLf = true;
        else if (bytes[from] === LF) from += 1;
        nextCr = bytes.indexOf(CR, from);
      }
      if (nextLf !== -1 && nextLf < from) nextLf = bytes.indexOf(LF, from);
    }
    if (from < bytes.length) this.#keep(bytes, from);
  }

  /**
   * The stream is over. An event without its blank line is not dispatched, as the standard says:
   * see {@link unterminated}. A last line that is no field may still be a bare error body.
   */
  end(take: TakeEvent): void {
    if (this.#isOver() || this.#partialLength === 0) return;
    if (this.#decode(this.#partial, 0, this.#partialLength) === null) return;
    this.#addStray(this.#partial.subarray(0, this.#partialLength), take);
  }

  #isOver(): boolean {
    return this.#failure !== null || this.#stopped;
  }

  #line(bytes: Uint8Array, from: number, end: number, take: TakeEvent): void {
    if (this.#partialLength === 0) {
      this.#field(bytes, from, end, take);
      return;
    }
    this.#keep(bytes.subarray(0, end), from);
    const length = this.#partialLength;
    this.#partialLength = 0;
    if (this.#failure === null) this.#field(this.#partial, 0, length, take);
  }

  /** One line without its end: the bytes `from` … `end`. */
  #field(bytes: Uint8Array, from: number, end: number, take: TakeEvent): void {
    if (end - from > this.#lineBytes) {
      this.#failure = 'lineLimit';
      return;
    }
    if (from === end) {
      this.#dispatch(take);
      return;
    }
    const colon = bytes.indexOf(COLON, from);
    const nameEnd = colon === -1 || colon > end ? end : colon;
    const valueFrom = nameEnd + 1 < end && bytes[nameEnd + 1] === SPACE ? nameEnd + 2 : nameEnd + 1;
    const value = this.#decode(bytes, Math.min(valueFrom, end), end);
    if (value === null) return;
    switch (fieldName(bytes, from, nameEnd)) {
      case 'data':
        this.#appendData(value, end - from);
        return;
      case 'event':
        this.#event = value;
        return;
      case 'id':
        if (!value.includes('\0')) this.#id = value;
        return;
      case 'retry':
        if (/^\d+$/.test(value)) this.#retryMs = Number(value);
        return;
      case 'comment':
        this.#commentCount += 1;
        return;
      case 'unknown':
        this.#unknownFieldCount += 1;
        if (this.#decode(bytes, from, end) === null) return;
        this.#addStray(bytes.subarray(from, end), take);
    }
  }

  #appendData(value: string, lineLength: number): void {
    this.#dataBytes += lineLength;
    if (this.#dataBytes > this.#lineBytes) this.#failure = 'lineLimit';
    else this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
  }

  #dispatch(take: TakeEvent): void {
    if (this.#data !== null) {
      this.#stopped = !take({
        event: this.#event === '' ? null : this.#event,
        id: this.#id,
        data: this.#data,
        isStray: false,
      });
    }
    this.#event = '';
    this.#id = null;
    this.#data = null;
    this.#dataBytes = 0;
  }

  #addStray(line: Uint8Array, take: TakeEvent): void {
    if (this.#stray?.unterminated !== true) {
      if (line[0] !== OPEN_BRACE) return;
      this.#stray = new JsonSequenceDecoder({ lineBytes: this.#lineBytes });
    }
    this.#stray.push(line, ({ data }) => {
      this.#stopped = !take({ event: null, id: null, data, isStray: true });
      return !this.#stopped;
    });
  }

  #decode(bytes: Uint8Array, from: number, end: number): string | null {
    try {
      return this.#text.decode(bytes.subarray(from, end));
    } catch {
      this.#failure = 'utf8';
      return null;
    }
  }

  /** Keeps `bytes` from `from` on as (more of) a line that is not complete. */
  #keep(bytes: Uint8Array, from: number): void {
    const length = this.#partialLength + bytes.length - from;
    if (length > this.#lineBytes) {
      this.#failure = 'lineLimit';
      return;
    }
    if (length > this.#partial.length) {
      const grown = new Uint8Array(Math.max(256, 2 * length));
      grown.set(this.#partial.subarray(0, this.#partialLength));
      this.#partial = grown;
    }
    this.#partial.set(from === 0 ? bytes : bytes.subarray(from), this.#partialLength);
    this.#partialLength = length;
  }

  /** Takes the byte order mark off the start of the stream, wherever it is cut. */
  #withoutMark(piece: Uint8Array): Uint8Array {
    let seen = this.#markBytes as number;
    let at = 0;
    while (at < piece.length && seen < BYTE_ORDER_MARK.length) {
      if (piece[at] !== BYTE_ORDER_MARK[seen]) {
        // Not a mark after all: what looked like one starts the first line.
        this.#markBytes = null;
        const held = Uint8Array.from(BYTE_ORDER_MARK.slice(0, seen));
        return seen === 0 ? piece : Uint8Array.of(...held, ...piece.subarray(at));
      }
      at += 1;
      seen += 1;
    }
    this.#markBytes = seen === BYTE_ORDER_MARK.length ? null : seen;
    return piece.subarray(at);
  }
}

type FieldName = 'data' | 'event' | 'id' | 'retry' | 'comment' | 'unknown';

/** Names by length, then byte by byte: no string is made of the name. */
function fieldName(bytes: Uint8Array, from: number, nameEnd: number): FieldName {
  switch (nameEnd - from) {
    case 0:
      return 'comment';
    case 2:
      return isAscii(bytes, from, 'id') ? 'id' : 'unknown';
    case 4:
      return isAscii(bytes, from, 'data') ? 'data' : 'unknown';
    case 5:
      if (isAscii(bytes, from, 'event')) return 'event';
      return isAscii(bytes, from, 'retry') ? 'retry' : 'unknown';
    default:
      return 'unknown';
  }
}

function isAscii(bytes: Uint8Array, from: number, name: string): boolean {
  for (let at = 0; at < name.length; at += 1) {
    if (bytes[from + at] !== name.charCodeAt(at)) return false;
  }
  return true;
}
