/** Time stamps of traces: read without losing digits, moved to one origin, put in order. */
import { NS_PER_SECOND } from '../base/index.ts';
import type { ProblemList } from './problem-list.ts';

/**
 * Which clock a time stamp was read from. Two of them in one file have no common origin: a replay
 * that subtracts one from the other sends everything at once, or never.
 */
export type StampClock = 'relative' | 'epoch' | 'local wall' | 'zoned wall';

/** A time stamp in whole seconds and whole nanoseconds, because epoch nanoseconds exceed 2^53. */
export interface TraceStamp {
  readonly clock: StampClock;
  readonly seconds: number;
  readonly fractionNs: number;
}

const WALL =
  /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * Reads `2023-11-16 18:17:03.9799600` or `2024-05-10T00:00:00.009930+00:00`; up to nine digits of
 * fraction are kept. `null` when it is neither, or no such day or time exists.
 */
export function parseWallStamp(text: string): TraceStamp | null {
  const match = WALL.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as SixNumbers;
  const exists =
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysInMonth(year, month) &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  if (!exists) return null;
  const localSeconds = dayNumber(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
  const fractionNs = Number((match[7] ?? '').padEnd(9, '0'));
  const zone = match[8];
  if (zone === undefined) return { clock: 'local wall', seconds: localSeconds, fractionNs };
  return { clock: 'zoned wall', seconds: localSeconds - zoneSeconds(zone), fractionNs };
}

type SixNumbers = [number, number, number, number, number, number];

/** From this many seconds on (the year 2001), a plain number is an epoch; before, 31 years long. */
const EPOCH_FROM_SECONDS = 1e9;

/** A plain number of seconds or milliseconds: since the epoch when it is that large. */
export function numericStamp(value: number, unitsASecond: 1 | 1_000): TraceStamp {
  const seconds = Math.floor(value / unitsASecond);
  const fraction = value - seconds * unitsASecond;
  return {
    clock: seconds >= EPOCH_FROM_SECONDS ? 'epoch' : 'relative',
    seconds,
    fractionNs: Math.round(fraction * (NS_PER_SECOND / unitsASecond)),
  };
}

export interface Stamped {
  readonly line: number;
  readonly stamp: TraceStamp;
}

/** Adds a problem at the first row whose clock is not the one of the row before. */
export function requireOneClock(rows: readonly Stamped[], problems: ProblemList): void {
  const first = rows[0]?.stamp.clock;
  const other = rows.find(({ stamp }) => stamp.clock !== first);
  if (first === undefined || other === undefined) return;
  problems.add({
    code: 'E_TRACE_ROW',
    line: other.line,
    column: 1,
    message: `this time stamp is ${other.stamp.clock} time, those before it are ${first} time`,
    hint: 'all time stamps of a file need one origin',
  });
}

/** The earliest time stamp. */
export function earliest(rows: readonly Stamped[]): TraceStamp {
  let first: TraceStamp = { clock: 'relative', seconds: Infinity, fractionNs: 0 };
  for (const { stamp } of rows) if (nsSince(stamp, first) < 0) first = stamp;
  return first;
}

/** Whole nanoseconds from `origin` to `stamp`. */
export function nsSince(stamp: TraceStamp, origin: TraceStamp): number {
  const seconds = stamp.seconds - origin.seconds;
  return seconds * NS_PER_SECOND + (stamp.fractionNs - origin.fractionNs);
}

/** Rows by time, equal times in file order; and how many stood behind a later one. */
export function inOrderOfTime<Row extends { readonly atNs: number }>(
  rows: readonly Row[],
): { readonly rows: readonly Row[]; readonly outOfOrder: number } {
  let latestNs = Number.NEGATIVE_INFINITY;
  let outOfOrder = 0;
  for (const { atNs } of rows) {
    if (atNs < latestNs) outOfOrder += 1;
    else latestNs = atNs;
  }
  return { rows: outOfOrder === 0 ? rows : rows.toSorted((a, b) => a.atNs - b.atNs), outOfOrder };
}

function zoneSeconds(zone: string): number {
  if (zone === 'Z') return 0;
  const seconds = Number(zone.slice(1, 3)) * 3_600 + Number(zone.slice(4, 6)) * 60;
  return zone.startsWith('-') ? -seconds : seconds;
}

function daysInMonth(year: number, month: number): number {
  const next = month === 12 ? dayNumber(year + 1, 1, 1) : dayNumber(year, month + 1, 1);
  return next - dayNumber(year, month, 1);
}

/** Days since 1970-01-01 in the Gregorian calendar, years starting in March to end on leap days. */
function dayNumber(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const leapDays =
    Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return marchYear * 365 + leapDays + dayOfYear - 719_468;
}
