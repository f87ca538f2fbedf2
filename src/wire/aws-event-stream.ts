/**
 * `application/vnd.amazon.eventstream`: length-prefixed binary frames, each with two CRC-32 sums.
 *
 *     total length (4) | headers length (4) | CRC of these 8 (4) | headers | payload | CRC of all (4)
 *
 * Source: https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html
 */
import { crc32 } from 'node:zlib';
import type {
  EventDecoder,
  FramingFailure,
  FramingLimits,
  StreamMessage,
  TakeMessage,
} from './event-decoder.ts';

const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
const NO_BYTES = new Uint8Array(0);

/** Bytes of the header value types with a fixed size: booleans have none. */
const FIXED_BYTES: readonly (number | null)[] = [0, 0, 1, 2, 4, 8, null, null, 8, 16];
const STRING = 7;

/** Decodes frames. An exception or error frame becomes a message named `error`. */
export class AwsEventStreamDecoder implements EventDecoder {
  readonly commentCount = 0;
  readonly unknownFieldCount = 0;
  readonly #frameBytes: number;
  readonly #text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #failure: FramingFailure | null = null;
  #stopped = false;
  #held = NO_BYTES;
  #heldLength = 0;

  constructor(limits: FramingLimits) {
    this.#frameBytes = limits.lineBytes;
  }

  get failure(): FramingFailure | null {
    return this.#failure;
  }

  /** Every frame has a checksum of its own: none is like another. */
  readonly between = false;

  get unterminated(): boolean {
    return this.#failure === null && this.#heldLength > 0;
  }

  push(piece: Uint8Array, take: TakeMessage): void {
    if (this.#failure !== null || this.#stopped) return;
    const bytes = this.#joined(piece);
    let from = 0;
    while (bytes.length - from >= PRELUDE_BYTES) {
      const length = this.#frameLength(bytes.subarray(from, from + PRELUDE_BYTES));
      if (length === null || bytes.length - from < length) break;
      this.#frame(bytes.subarray(from, from + length), take);
      if (this.#failure !== null || this.#stopped) return;
      from += length;
    }
    this.#keep(bytes, from);
  }

  end(_take: TakeMessage): void {}

  /** Total length of the frame that begins with this prelude; `null` when it cannot be one. */
  #frameLength(prelude: Uint8Array): number | null {
    const view = viewOf(prelude);
    const length = view.getUint32(0);
    if (crc32(prelude.subarray(0, 8)) !== view.getUint32(8)) this.#failure = 'protocol';
    else if (length < PRELUDE_BYTES + view.getUint32(4) + CRC_BYTES) this.#failure = 'protocol';
    else if (length > this.#frameBytes) this.#failure = 'lineLimit';
    return this.#failure === null ? length : null;
  }

  #frame(frame: Uint8Array, take: TakeMessage): void {
    const view = viewOf(frame);
    const bodyEnd = frame.length - CRC_BYTES;
    const headersEnd = PRELUDE_BYTES + view.getUint32(4);
    const headers = this.#headers(frame.subarray(PRELUDE_BYTES, headersEnd));
    if (headers === null || crc32(frame.subarray(0, bodyEnd)) !== view.getUint32(bodyEnd)) {
      this.#failure ??= 'protocol';
      return;
    }
    const data = this.#decode(frame.subarray(headersEnd, bodyEnd));
    if (data !== null) this.#stopped = !take(messageOf(headers, data));
  }

  /** The text headers by name; `null` when they are malformed. */
  #headers(bytes: Uint8Array): ReadonlyMap<string, string> | null {
    const headers = new Map<string, string>();
    const view = viewOf(bytes);
    let at = 0;
    while (at < bytes.length) {
      const nameEnd = at + 1 + view.getUint8(at);
      if (nameEnd >= bytes.length) return null;
      const name = this.#decode(bytes.subarray(at + 1, nameEnd));
      const type = view.getUint8(nameEnd);
      const fixed = FIXED_BYTES[type];
      if (name === null || fixed === undefined) return null;
      let valueFrom = nameEnd + 1;
      let length = fixed;
      if (length === null) {
        if (valueFrom + 2 > bytes.length) return null;
        length = view.getUint16(valueFrom);
        valueFrom += 2;
      }
      at = valueFrom + length;
      if (at > bytes.length) return null;
      if (type === STRING) {
        const value = this.#decode(bytes.subarray(valueFrom, at));
        if (value === null) return null;
        headers.set(name, value);
      }
    }
    return headers;
  }

  #decode(bytes: Uint8Array): string | null {
    try {
      return this.#text.decode(bytes);
    } catch {
      this.#failure = 'utf8';
      return null;
    }
  }

  /** The held bytes and the piece as one; the piece alone where nothing is held. */
  #joined(piece: Uint8Array): Uint8Array {
    if (this.#heldLength === 0) return piece;
    this.#hold(piece);
    return this.#held.subarray(0, this.#heldLength);
  }

  /** Keeps what is left of `bytes` from `from` on, which may be the held bytes themselves. */
  #keep(bytes: Uint8Array, from: number): void {
    const isHeld = this.#heldLength > 0;
    if (isHeld && from === 0) return;
    const rest = bytes.subarray(from);
    this.#heldLength = 0;
    if (isHeld) this.#held.copyWithin(0, from, from + rest.length);
    else this.#hold(rest);
    this.#heldLength = rest.length;
  }

  /** Copies, because a transport may read into the same memory again. */
  #hold(bytes: Uint8Array): void {
    const length = this.#heldLength + bytes.length;
    if (length > this.#held.length) {
      const grown = new Uint8Array(2 * length);
      grown.set(this.#held.subarray(0, this.#heldLength));
      this.#held = grown;
    }
    this.#held.set(bytes, this.#heldLength);
    this.#heldLength = length;
  }
}

function messageOf(headers: ReadonlyMap<string, string>, data: string): StreamMessage {
  const kind = headers.get(':message-type');
  if (kind === 'exception') {
    return errorMessage(headers.get(':exception-type'), data);
  }
  if (kind === 'error') {
    return errorMessage(headers.get(':error-code'), headers.get(':error-message') ?? '');
  }
  return { event: headers.get(':event-type') ?? null, data, isStray: false };
}

function errorMessage(code: string | undefined, message: string): StreamMessage {
  return { event: 'error', data: JSON.stringify({ code, message }), isStray: false };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** One frame as the service writes it, all headers as text: for the server's side and for tests. */
export function awsFrame(headers: Readonly<Record<string, string>>, payload: string): Uint8Array {
  const encoder = new TextEncoder();
  const parts = Object.entries(headers).map(([name, value]) => {
    const nameBytes = encoder.encode(name);
    const valueBytes = encoder.encode(value);
    const { length } = valueBytes;
    return Uint8Array.of(
      nameBytes.length,
      ...nameBytes,
      STRING,
      length >> 8,
      length & 0xff,
      ...valueBytes,
    );
  });
  const headerBytes = parts.reduce((sum, part) => sum + part.length, 0);
  const body = encoder.encode(payload);
  const frame = new Uint8Array(PRELUDE_BYTES + headerBytes + body.length + CRC_BYTES);
  const view = viewOf(frame);
  view.setUint32(0, frame.length);
  view.setUint32(4, headerBytes);
  view.setUint32(8, crc32(frame.subarray(0, 8)));
  let at = PRELUDE_BYTES;
  for (const part of [...parts, body]) {
    frame.set(part, at);
    at += part.length;
  }
  view.setUint32(at, crc32(frame.subarray(0, at)));
  return frame;
}
