/** Instants as people read them. */
import { assert } from '../base/index.ts';

/** Microseconds since 1970 → `2026-11-30T08:00:00Z`, with a fraction only where there is one. */
export function isoInstant(us: number): string {
  assert(Number.isSafeInteger(us), `${us} is no instant`);
  const days = Math.floor(us / 86_400e6);
  const rest = us - days * 86_400e6;
  const { year, month, day } = dateOf(days);
  const seconds = Math.floor(rest / 1e6);
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map(two);
  const fraction = rest % 1e6 === 0 ? '' : `.${String(rest % 1e6).padStart(6, '0')}`;
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${time.join(':')}${fraction}Z`;
}

/** The Gregorian date of a day since 1970, by years that start in March (Hinnant 2013). */
function dateOf(daysSince1970: number): { year: number; month: number; day: number } {
  const days = daysSince1970 + 719_468;
  const era = Math.floor(days / 146_097);
  const dayOfEra = days - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}
