/** How long a server asks to wait. */
import { nsFromMs, nsFromSeconds } from '../base/index.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

// RFC 9110, 5.6.7: IMF-fixdate, RFC 850 and asctime. `Date.parse` would accept far more.
const IMF_FIXDATE = /^\w{3}, (\d{2}) (\w{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const RFC_850 = /^\w{6,9}, (\d{2})-(\w{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const ASCTIME = /^\w{3} (\w{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/;

/**
 * Reads `Retry-After` (seconds or one of the three HTTP dates) or `retry-after-ms`.
 *
 * Returns: nanoseconds ≥ 0; 0 for a date that is past; `null` for anything else.
 */
export function retryAfterNs(
  headers: { readonly seconds: string | null; readonly ms: string | null },
  wallNowMs: number,
): number | null {
  if (headers.ms !== null && /^\d{1,9}$/.test(headers.ms)) return nsFromMs(Number(headers.ms));
  const value = headers.seconds?.trim() ?? '';
  // Nine digits of seconds are 31 years: longer is junk, and would not be a safe integer.
  if (/^\d{1,6}$/.test(value)) return nsFromSeconds(Number(value));
  const dateMs = httpDateMs(value, wallNowMs);
  return dateMs === null ? null : nsFromMs(Math.max(0, dateMs - wallNowMs));
}

function httpDateMs(text: string, wallNowMs: number): number | null {
  const imf = IMF_FIXDATE.exec(text);
  if (imf !== null) return instantMs(imf[3], imf[2], imf[1], imf.slice(4));
  const old = RFC_850.exec(text);
  if (old !== null) {
    const year = fullYear(Number(old[3]), new Date(wallNowMs).getUTCFullYear());
    return instantMs(String(year), old[2], old[1], old.slice(4));
  }
  const asctime = ASCTIME.exec(text);
  if (asctime !== null) return instantMs(asctime[6], asctime[1], asctime[2], asctime.slice(3, 6));
  return null;
}

/** A two-digit year more than 50 years ahead is of the past century. */
function fullYear(twoDigits: number, thisYear: number): number {
  const year = Math.floor(thisYear / 100) * 100 + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}

function instantMs(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  clock: readonly string[],
): number | null {
  const monthIndex = MONTHS.indexOf((month ?? '').toLowerCase());
  const [hour, minute, second] = clock.map(Number) as [number, number, number];
  const dayOfMonth = Number(day);
  if (monthIndex === -1 || hour > 23 || minute > 59 || second > 60) return null;
  const atMs = Date.UTC(Number(year), monthIndex, dayOfMonth, hour, minute, second);
  // 30 February would roll over into March.
  return new Date(atMs).getUTCDate() === dayOfMonth || second === 60 ? atMs : null;
}
