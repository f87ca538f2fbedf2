/**
 * Instants on the calendar, as whole milliseconds since 1970-01-01 UTC, without the system's clock:
 * reading and writing them is arithmetic.
 */

export const MS_PER_DAY = 86_400_000;
const MS_PER_MINUTE = 60_000;

const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)? ?(Z|[+-]\d{2}:?\d{2})$/;

type SixNumbers = [number, number, number, number, number, number];

/**
 * Reads an ISO 8601 instant with its zone: `2026-11-03T09:30:00Z`, `2026-11-03T10:30+01:00`. Digits
 * beyond milliseconds are cut. `null` when it is none, has no zone, or no such day or time exists.
 */
export function parseInstantMs(text: string): number | null {
  const match = INSTANT.exec(text.trim());
  if (match === null) return null;
  const parts = match.slice(1, 7).map((part) => Number(part ?? 0)) as SixNumbers;
  const [year, month, day, hour, minute, second] = parts;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const ms = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const clock = ((hour * 60 + minute) * 60 + second) * 1_000 + ms;
  return dayNumber(year, month, day) * MS_PER_DAY + clock - zoneMs(match[8] ?? 'Z');
}

/** `2026-11-03T09:30:00Z`; milliseconds only where there are some. */
export function instantText(instantMs: number): string {
  const days = Math.floor(instantMs / MS_PER_DAY);
  const { year, month, day } = dateOfDay(days);
  const rest = instantMs - days * MS_PER_DAY;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const ms = rest % 1_000 === 0 ? '' : `.${String(rest % 1_000).padStart(3, '0')}`;
  const clock = `${two(rest / 3_600_000)}:${two((rest / MS_PER_MINUTE) % 60)}:${two((rest / 1_000) % 60)}`;
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${clock}${ms}Z`;
}

/** Days since 1970-01-01 in the Gregorian calendar, years starting in March to end on leap days. */
export function dayNumber(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const leapDays =
    Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return marchYear * 365 + leapDays + dayOfYear - 719_468;
}

/** The inverse of {@link dayNumber}: months and days count from 1. */
export function dateOfDay(days: number): {
  readonly year: number;
  readonly month: number;
  readonly day: number;
} {
  // Howard Hinnant's civil_from_days: eras of 400 years, which all have the same length.
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const leaps = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  const dayOfYear = dayOfEra - (365 * yearOfEra + leaps);
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

export function daysInMonth(year: number, month: number): number {
  const next = month === 12 ? dayNumber(year + 1, 1, 1) : dayNumber(year, month + 1, 1);
  return next - dayNumber(year, month, 1);
}

function zoneMs(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * MS_PER_MINUTE;
}
