/** A record as one line of JSON, written fast: long answers are columns of numbers, token by token. */
import type { OutputEvents, RequestRecord } from './request-record.ts';

/** Answers of fewer events are not worth the trouble. */
const MANY_EVENTS = 8;
const PLACEHOLDER = '"output":0';

/**
 * The record as one line of JSON, without the line end: byte for byte what `JSON.stringify` gives,
 * at a fraction of its time for an answer of many events.
 */
export function recordLine(record: RequestRecord): string {
  const { timeline } = record;
  if (timeline === null || timeline.output.atNs.length < MANY_EVENTS) return JSON.stringify(record);
  const frame = JSON.stringify({ ...record, timeline: { ...timeline, output: 0 } });
  // Inside a text its quotes would be escaped, so this is the key.
  const at = frame.indexOf(PLACEHOLDER);
  return `${frame.slice(0, at)}"output":${outputText(timeline.output)}${frame.slice(at + PLACEHOLDER.length)}`;
}

function outputText({ atNs, kind, bytes, tokens, readId }: OutputEvents): string {
  return (
    `{"atNs":${numbersText(atNs)},"kind":${alikeText(kind) ?? JSON.stringify(kind)},` +
    `"bytes":${alikeText(bytes) ?? numbersText(bytes)},` +
    `"tokens":${alikeText(tokens) ?? JSON.stringify(tokens)},"readId":${countingText(readId) ?? numbersText(readId)}}`
  );
}

/** A list whose values are all the same; `null` when they are not. */
function alikeText(values: readonly (string | number | null)[]): string | null {
  const first = values[0] as string | number | null;
  for (const value of values) if (value !== first) return null;
  const known = ALIKE.get(first);
  if (known?.length === values.length) return known.text;
  const one = JSON.stringify(first);
  const text = `[${`${one},`.repeat(values.length - 1)}${one}]`;
  ALIKE.set(first, { length: values.length, text });
  return text;
}

/** A list that counts from 0, as reads of one event each do; `null` when it does not. */
function countingText(values: readonly number[]): string | null {
  for (const [at, value] of values.entries()) if (value !== at) return null;
  if (values.length > MOST_COUNTED) return null;
  const known = COUNTING[values.length];
  if (known !== undefined) return known;
  const text = `[${values.join()}]`;
  COUNTING[values.length] = text;
  return text;
}

/** By length, so that all of them together are small. */
const MOST_COUNTED = 1_024;
const COUNTING: string[] = [];

/** The last list of each value: many answers are as long as the one before. Few values are ever alike. */
const ALIKE = new Map<string | number | null, { readonly length: number; readonly text: string }>();

const COMMA = 0x2c;
const DIGIT_0 = 0x30;
/** Numbers are cut into parts of eight digits, and these into two of four, which are copied. */
const EIGHT_DIGITS = 1e8;
const FOUR_DIGITS = 1e4;
/** The digits of 0 to 9999, leading zeros included. */
const DIGITS = Uint8Array.from({ length: 4 * FOUR_DIGITS }, (_, at) => {
  const power = [1_000, 100, 10, 1][at % 4] as number;
  return DIGIT_0 + (Math.floor(Math.floor(at / 4) / power) % 10);
});
const MOST_DIGITS = 16;
let scratch = Buffer.allocUnsafe(16 * 1_024);

/** A list of numbers; whole ones are written digit by digit. */
function numbersText(values: readonly number[]): string {
  const mostBytes = values.length * (MOST_DIGITS + 1);
  if (scratch.length < mostBytes) scratch = Buffer.allocUnsafe(2 * mostBytes);
  const bytes = scratch;
  let end = 0;
  for (const value of values) {
    if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER && Math.floor(value) === value)) {
      return JSON.stringify(values);
    }
    end = writeWhole(bytes, value, end);
    bytes[end] = COMMA;
    end += 1;
  }
  return `[${bytes.toString('latin1', 0, end - 1)}]`;
}

/** Writes a whole number from `at` on, and gives where it ends. */
function writeWhole(bytes: Uint8Array, value: number, at: number): number {
  if (value < EIGHT_DIGITS) return writeShort(bytes, value, at);
  const high = Math.floor(value / EIGHT_DIGITS);
  const low = value - high * EIGHT_DIGITS;
  const middle = writeShort(bytes, high, at);
  const lowHigh = Math.floor(low / FOUR_DIGITS);
  writeFour(bytes, lowHigh, middle);
  writeFour(bytes, low - lowHigh * FOUR_DIGITS, middle + 4);
  return middle + 8;
}

function writeFour(bytes: Uint8Array, value: number, at: number): void {
  const digits = 4 * value;
  bytes[at] = DIGITS[digits] as number;
  bytes[at + 1] = DIGITS[digits + 1] as number;
  bytes[at + 2] = DIGITS[digits + 2] as number;
  bytes[at + 3] = DIGITS[digits + 3] as number;
}

/** Writes a whole number below 10⁸, without leading zeros. */
function writeShort(bytes: Uint8Array, value: number, at: number): number {
  let end = at + 1;
  for (let power = 10; power <= value; power *= 10) end += 1;
  let left = value | 0;
  for (let place = end - 1; place >= at; place -= 1) {
    const tenth = (left / 10) | 0;
    bytes[place] = DIGIT_0 + left - tenth * 10;
    left = tenth;
  }
  return end;
}
