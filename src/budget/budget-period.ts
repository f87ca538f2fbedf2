/** The stretch of time a budget is for: the last days, or a page of somebody's calendar. */
import { assertNever, dateOfDay, dayNumber, MS_PER_DAY } from '../base/index.ts';

export type CalendarUnit = 'day' | 'week' | 'month' | 'quarter';
export const CALENDAR_UNITS: readonly CalendarUnit[] = ['day', 'week', 'month', 'quarter'];

export type PeriodChoice =
  | { readonly kind: 'rolling'; readonly lengthMs: number }
  | { readonly kind: 'calendar'; readonly unit: CalendarUnit; readonly timeZone: string };

export interface BudgetPeriod {
  readonly choice: PeriodChoice;
  readonly fromMs: number;
  /** End of the period; a rolling one ends now. */
  readonly toMs: number;
}

/** Whether this system knows a time zone by that name. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The period that holds the last instant before `nowMs`. Weeks begin on Monday. */
export function periodAt(choice: PeriodChoice, nowMs: number): BudgetPeriod {
  if (choice.kind === 'rolling') return { choice, fromMs: nowMs - choice.lengthMs, toMs: nowMs };
  const { unit, timeZone } = choice;
  const offsetMs = zoneOffsetMs(nowMs - 1, timeZone);
  const today = Math.floor((nowMs - 1 + offsetMs) / MS_PER_DAY);
  const [first, next] = daysOf(unit, today);
  return {
    choice,
    fromMs: midnightMs(first, timeZone),
    toMs: midnightMs(next, timeZone),
  };
}

/** First day of the unit that holds `day`, and first day after it. */
function daysOf(unit: CalendarUnit, day: number): [number, number] {
  const { year, month } = dateOfDay(day);
  switch (unit) {
    case 'day':
      return [day, day + 1];
    case 'week': {
      // Day 0 was a Thursday.
      const monday = day - ((((day + 3) % 7) + 7) % 7);
      return [monday, monday + 7];
    }
    case 'month':
      return [
        dayNumber(year, month, 1),
        month === 12 ? dayNumber(year + 1, 1, 1) : dayNumber(year, month + 1, 1),
      ];
    case 'quarter': {
      const first = month - ((month - 1) % 3);
      return [
        dayNumber(year, first, 1),
        first === 10 ? dayNumber(year + 1, 1, 1) : dayNumber(year, first + 3, 1),
      ];
    }
    default:
      return assertNever(unit);
  }
}

/** The instant at which a day begins in a zone; twice, because clocks change at midnight somewhere. */
function midnightMs(day: number, timeZone: string): number {
  const local = day * MS_PER_DAY;
  const guess = local - zoneOffsetMs(local, timeZone);
  return local - zoneOffsetMs(guess, timeZone);
}

/** What the zone's clocks are ahead of UTC at an instant. */
function zoneOffsetMs(instantMs: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  }).formatToParts(instantMs);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const day = dayNumber(of('year'), of('month'), of('day'));
  const clock = ((of('hour') * 60 + of('minute')) * 60 + of('second')) * 1_000;
  return day * MS_PER_DAY + clock - Math.floor(instantMs / 1_000) * 1_000;
}
