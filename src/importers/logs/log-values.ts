/**
 * Values of foreign logs, which write numbers as text and leave things out. `null` = not there;
 * `NaN` = there and unreadable, which makes the row a broken one ({@link rowFault}).
 */
import { machineWord } from '../../base/index.ts';
import type { FinishReason, ServerError } from '../../record/index.ts';
import { FINISH_WORDS, type LoggedRequest } from '../../logs/index.ts';
import { parseWallStamp } from '../trace-time.ts';

/** One JSON object of a log, or one CSV row with its header's names. */
export type LogObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is LogObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A nested object: a JSON object, or JSON in a text as CSV exports have it; `{}` when neither. */
export function objectAt(row: LogObject, key: string): LogObject {
  const value = row[key];
  if (isObject(value)) return value;
  if (typeof value !== 'string' || !value.startsWith('{')) return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

export function textAt(row: LogObject, key: string): string | null {
  const value = row[key];
  return typeof value === 'string' && value !== '' && value !== '-' ? value : null;
}

/** Labels are kept to one machine word or short text; anything else a log holds stays out. */
export function labelAt(row: LogObject, key: string): string | null {
  const text = textAt(row, key);
  return text === null ? null : text.slice(0, 120);
}

export function numberAt(row: LogObject, key: string): number | null {
  return numberOf(row[key]);
}

export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (value === undefined || value === null || value === '' || value === '-') return null;
  return typeof value === 'string' ? Number(value) : Number.NaN;
}

/** A duration in whole nanoseconds; `unitNs` nanoseconds to the log's unit. */
export function durationAt(row: LogObject, key: string, unitNs: number): number | null {
  const value = numberAt(row, key);
  return value === null ? null : Math.round(value * unitNs);
}

/** An instant in microseconds since 1970: ISO 8601 (without a zone: UTC), or a number of `unitUs`. */
export function instantAt(row: LogObject, key: string, unitUs = 1_000_000): number | null {
  const value = row[key];
  if (typeof value !== 'string') {
    const number = numberOf(value);
    return number === null ? null : Math.round(number * unitUs);
  }
  if (value === '' || value === '-') return null;
  return isoUs(value) ?? Math.round(Number(value) * unitUs);
}

/**
 * `2026-11-20T10:00:00.123456Z`, with a blank for the T and without a zone too, is read digit by
 * digit: this is the hot path. All else is for the slower reader.
 */
function isoUs(text: string): number | null {
  const end = text.charCodeAt(text.length - 1) === 90 ? text.length - 1 : text.length;
  const us = end <= 26 && end >= 19 ? timeOfDayUs(text, end) : Number.NaN;
  if (us >= 0) {
    const dayUs = dayStartUs(text);
    if (dayUs !== null) return dayUs + us;
  }
  if (text.charCodeAt(4) !== 45 || text.length < 19) return null;
  const stamp = parseWallStamp(text.replace(/([+-]\d\d)$/, '$1:00'));
  return stamp === null ? null : stamp.seconds * 1e6 + Math.round(stamp.fractionNs / 1e3);
}

/** Microseconds of `10:00:00.123456`, which stands from place 11 to `end`; `NaN` for any other. */
function timeOfDayUs(text: string, end: number): number {
  const hours = twoDigits(text, 11);
  const minutes = twoDigits(text, 14);
  const seconds = twoDigits(text, 17);
  const colons = text.charCodeAt(13) === 58 && text.charCodeAt(16) === 58;
  const digits = hours >= 0 && minutes >= 0 && seconds >= 0;
  if (!colons || !digits || hours > 23 || minutes > 59 || seconds > 59) return Number.NaN;
  if (end > 19 && text.charCodeAt(19) !== 46) return Number.NaN;
  let fraction = 0;
  for (let at = 20; at < end; at += 1) {
    const value = digit(text, at);
    if (value < 0) return Number.NaN;
    fraction = fraction * 10 + value;
  }
  const unitUs = US_OF_DIGITS[Math.max(0, end - 20)] as number;
  return ((hours * 60 + minutes) * 60 + seconds) * 1e6 + fraction * unitUs;
}

/** Microseconds to one of the last place, by the number of places after the point. */
const US_OF_DIGITS = [1e6, 1e5, 1e4, 1e3, 100, 10, 1] as const;

function twoDigits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

/** So far below 0 where there is no digit that no other digit makes up for it: whole, as is fast. */
function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - 48;
  return value >= 0 && value <= 9 ? value : -1_000;
}

/** Rows of a log are mostly of one day. */
function dayStartUs(text: string): number | null {
  if (!text.startsWith(lastDay) || lastDay === '') {
    const day = text.slice(0, 10);
    const stamp = parseWallStamp(`${day}T00:00:00Z`);
    if (stamp === null) return null;
    lastDay = day;
    lastDayUs = stamp.seconds * 1e6;
  }
  return lastDayUs;
}

let lastDay = '';
let lastDayUs = 0;

/** Difference of two instants as a duration; `null` when either is missing. */
export function between(fromUs: number | null, toUs: number | null): number | null {
  return fromUs === null || toUs === null ? null : (toUs - fromUs) * 1e3;
}

const FINISH: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries(FINISH_WORDS).flatMap(([reason, words]) =>
    words.map((word) => [word, reason as FinishReason] as const),
  ),
);

/** A finish reason in the record's words; `null` when there is none. */
export function finishOf(value: unknown): FinishReason | null {
  if (typeof value !== 'string' || value === '') return null;
  return FINISH.get(value.toLowerCase()) ?? 'other';
}

/** The error of a failed row. Evidence words are looked for in `text`, which is not kept. */
export function errorOf(
  status: number | null,
  {
    code,
    type,
    text,
  }: { readonly code?: unknown; readonly type?: unknown; readonly text?: string },
): ServerError {
  const words = `${text ?? ''} ${typeof type === 'string' ? type : ''} ${typeof code === 'string' ? code : ''}`;
  const evidence = EVIDENCE.filter(([, pattern]) => pattern.test(words)).map(([word]) => word);
  return {
    httpStatus: status,
    code: machineWord(code),
    type: machineWord(type),
    retryAfterNs: null,
    evidence,
  };
}

const EVIDENCE: readonly (readonly [string, RegExp])[] = [
  ['quota', /quota|BudgetExceeded|insufficient_quota/i],
  ['rateLimit', /rate.?limit/i],
  ['contextLength', /context.?(length|window)/i],
];

/** What makes a row no sound request, as one sentence; `null` when it is sound. */
export function rowFault(row: LoggedRequest): string | null {
  const { ttftNs, e2eNs } = row;
  if (isBad(row.startUs)) return 'its start is no instant';
  if (isBad(ttftNs)) return 'its time to first token is no duration';
  if (isBad(e2eNs)) return 'its end is before its start, or no duration';
  if (isBad(row.promptTokens) || !isWhole(row.promptTokens))
    return 'its prompt tokens are no count';
  if (isBad(row.outputTokens) || !isWhole(row.outputTokens))
    return 'its output tokens are no count';
  if (isBad(row.httpStatus)) return 'its status is no number';
  if (ttftNs !== null && e2eNs !== null && ttftNs > e2eNs + SLACK_NS) {
    return 'its first token is after its end';
  }
  return null;
}

/** Stamps of two clocks, or rounded ones, may cross by this much. */
const SLACK_NS = 1_000_000;

function isBad(value: number | null): boolean {
  return value !== null && !(value >= 0 && value <= Number.MAX_SAFE_INTEGER);
}

function isWhole(value: number | null): boolean {
  return value === null || Number.isInteger(value);
}
