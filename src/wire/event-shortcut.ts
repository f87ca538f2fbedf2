/**
 * Reads events that differ from one seen before only in a few values, without parsing them.
 *
 * The chunks of one answer are the same bytes but for a text, perhaps a count. Let `P"s"S` be an
 * event that the decoder read as one message with the object `O`. Then `P"t"S` is one message too,
 * and its object is `O` with `t` where `s` was: JSON and SSE alike are regular around a value that
 * has no line end in it. So the bytes of `P` and `S` are compared, the value is read, and `O` is
 * handed out again with it. Where anything else differs the event goes to the decoder, and what
 * differed there becomes one more place whose value is read.
 */
import type { StreamMessage } from './event-decoder.ts';
import { parseObject, type JsonObject } from './json-object.ts';
import { jsonScalars, type JsonScalar } from './json-scalars.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const SPACE = 32;
const COMMA = 44;
const ZERO = 48;
const NINE = 57;
const DATA_FIELD = /(?:^|[\r\n])data: ?$/;

/** Events that may teach nothing useful before this gives up; one more for each that was matched. */
const PATIENCE = 16;
/** Longer texts are decoded natively. */
const SHORT_BYTES = 16;
const NO_BYTES = new Uint8Array(0);

/** The values of one event that vary, and the bytes between them. */
interface Template {
  /** Bytes of the event it was learned from. */
  readonly bytes: DataView;
  readonly length: number;
  readonly scalars: readonly JsonScalar[];
  readonly varies: readonly boolean[];
  /** The scalars that vary. */
  readonly slots: readonly JsonScalar[];
  readonly payloadFrom: number;
  readonly payloadTo: number;
  readonly object: JsonObject;
  readonly event: string | null;
}

/** Made for one stream. Knows no dialect: the object it hands out is the one JSON would give. */
export class EventShortcut {
  readonly #lineBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #template: Template | null = null;
  #message: TemplateMessage | null = null;
  #matched = 0;
  #learned = 0;
  /** The bytes that were looked at last: mostly the same memory again and again. */
  #memory: Uint8Array = NO_BYTES;
  #view = viewOf(NO_BYTES);

  constructor(limits: { readonly lineBytes: number }) {
    this.#lineBytes = limits.lineBytes;
  }

  /** What the last match read. Good until the next one. */
  get message(): StreamMessage | null {
    return this.#message;
  }

  /** Whether it is worth its while to {@link learn}. */
  get learns(): boolean {
    return this.#learned < PATIENCE + this.#matched;
  }

  /** The end of the event that begins at `from` and ends by `to`; -1 where the template does not know it. */
  match(bytes: Uint8Array, from: number, to = bytes.length): number {
    const template = this.#template;
    if (template === null) return -1;
    if (bytes !== this.#memory) {
      this.#memory = bytes;
      this.#view = viewOf(bytes);
    }
    const known = template.bytes;
    const view = this.#view;
    let at = from;
    let knownAt = 0;
    for (const slot of template.slots) {
      const valueAt = at + slot.from - knownAt;
      if (valueAt > to || !sameBytes(known, knownAt, slot.from, view, at)) return -1;
      at = this.#readValue(slot, bytes, valueAt, to);
      if (at === -1) return -1;
      knownAt = slot.to;
    }
    const end = at + template.length - knownAt;
    if (end > to || !sameBytes(known, knownAt, template.length, view, at)) return -1;
    // The decoder knows which line is too long.
    if (end - from > this.#lineBytes) return -1;
    this.#matched += 1;
    const payloadTo = end - (template.length - template.payloadTo);
    (this.#message as TemplateMessage).isIn(bytes, from + template.payloadFrom, payloadTo);
    return end;
  }

  /** `bytes` are one event from its first byte to its last, which the decoder read as `message`. */
  learn(bytes: Uint8Array, { event, data }: StreamMessage): void {
    this.#learned += 1;
    const object = parseObject(data);
    const payloadFrom = payloadStart(bytes, data);
    if (object === null || payloadFrom === -1) return;
    const copy = new Uint8Array(bytes);
    const scalars = jsonScalars(copy, payloadFrom, object);
    if (scalars === null) return;
    const known = this.#template;
    const view = viewOf(copy);
    const isAlike = known !== null && sameShape(known, view, scalars);
    const varies = scalars.map(
      (scalar, index) =>
        isAlike && (known.varies[index] === true || !sameValue(known, index, view, scalar)),
    );
    this.#template = {
      bytes: view,
      length: copy.length,
      scalars,
      varies,
      slots: scalars.filter((_, index) => varies[index]),
      payloadFrom,
      payloadTo: payloadFrom + Buffer.byteLength(data),
      object,
      event,
    };
    this.#message = new TemplateMessage(event, object);
  }

  /** Reads the value at `at` into the object; its end, or -1 where it is not of the slot's kind. */
  #readValue(
    { kind, holder, key }: JsonScalar,
    bytes: Uint8Array,
    from: number,
    to: number,
  ): number {
    return kind === 'string'
      ? this.#readText(holder, key, bytes, from, to)
      : readNumber(holder, key, bytes, from, to);
  }

  #readText(
    holder: JsonScalar['holder'],
    key: string | number,
    bytes: Uint8Array,
    from: number,
    to: number,
  ): number {
    let isPlain = true;
    let at = from;
    let text = '';
    for (; at < to; at += 1) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) break;
      if (byte < SPACE) return -1;
      if (byte === BACKSLASH) {
        isPlain = false;
        at += 1;
      } else if (byte > 126 || at - from >= SHORT_BYTES) isPlain = false;
      else if (isPlain) text += String.fromCharCode(byte);
    }
    if (at >= to) return -1;
    if (!isPlain) {
      const decoded = this.#decodedText(bytes.subarray(from - 1, at + 1));
      if (decoded === null) return -1;
      text = decoded;
    }
    holder[key] = text;
    return at;
  }

  /** `null` where the decoder will find out what is wrong. */
  #decodedText(quoted: Uint8Array): string | null {
    try {
      const text: unknown = JSON.parse(this.#decoder.decode(quoted));
      return typeof text === 'string' ? text : null;
    } catch {
      return null;
    }
  }
}

/** A message whose text is made only if somebody asks. */
class TemplateMessage implements StreamMessage {
  readonly event: string | null;
  readonly object: JsonObject;
  readonly isStray = false;
  #bytes = new Uint8Array(0);
  #from = 0;
  #to = 0;

  constructor(event: string | null, object: JsonObject) {
    this.event = event;
    this.object = object;
  }

  get data(): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(
      this.#bytes.subarray(this.#from, this.#to),
    );
  }

  isIn(bytes: Uint8Array, from: number, to: number): void {
    this.#bytes = bytes as Uint8Array<ArrayBuffer>;
    this.#from = from;
    this.#to = to;
  }
}

/**
 * Where the message's data begins in its event; -1 unless it is there in one piece: in its `data`
 * line, or with nothing but blanks and commas before it.
 */
function payloadStart(bytes: Uint8Array, data: string): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = buffer.indexOf(data);
  if (at === -1) return -1;
  const before = bytes.subarray(0, at);
  const isBare = before.every((byte) => byte <= SPACE || byte === COMMA);
  return isBare || DATA_FIELD.test(buffer.toString('latin1', 0, at)) ? at : -1;
}

/** A whole number of up to 15 digits: exact, and the only numbers that vary from event to event. */
function readNumber(
  holder: JsonScalar['holder'],
  key: string | number,
  bytes: Uint8Array,
  from: number,
  to: number,
): number {
  let value = 0;
  let at = from;
  for (; at < to; at += 1) {
    const byte = bytes[at] as number;
    if (byte < ZERO || byte > NINE) break;
    value = value * 10 + byte - ZERO;
  }
  const digits = at - from;
  if (digits === 0 || digits > 15 || (digits > 1 && bytes[from] === ZERO)) return -1;
  holder[key] = value;
  return at;
}

/** Whether `known` from `from` to `to` is what is in `bytes` from `at` on: four bytes at a time. */
function sameBytes(
  known: DataView,
  from: number,
  to: number,
  bytes: DataView,
  at: number,
): boolean {
  const shift = at - from;
  let index = from;
  for (; index + 4 <= to; index += 4) {
    if (known.getInt32(index) !== bytes.getInt32(index + shift)) return false;
  }
  for (; index < to; index += 1) {
    if (known.getUint8(index) !== bytes.getUint8(index + shift)) return false;
  }
  return true;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Whether both events are the same but for the values of their texts and numbers. */
function sameShape(known: Template, bytes: DataView, scalars: readonly JsonScalar[]): boolean {
  if (known.scalars.length !== scalars.length) return false;
  let knownAt = 0;
  let at = 0;
  for (const [index, scalar] of scalars.entries()) {
    const other = known.scalars[index] as JsonScalar;
    if (other.kind !== scalar.kind || other.from - knownAt !== scalar.from - at) return false;
    if (!sameBytes(known.bytes, knownAt, other.from, bytes, at)) return false;
    knownAt = other.to;
    at = scalar.to;
  }
  return (
    known.bytes.byteLength - knownAt === bytes.byteLength - at &&
    sameBytes(known.bytes, knownAt, known.bytes.byteLength, bytes, at)
  );
}

function sameValue(
  known: Template,
  index: number,
  bytes: DataView,
  { from, to }: JsonScalar,
): boolean {
  const other = known.scalars[index] as JsonScalar;
  return (
    to - from === other.to - other.from && sameBytes(known.bytes, other.from, other.to, bytes, from)
  );
}
