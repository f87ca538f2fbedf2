/** Which columns of a foreign log hold what, and in which unit: a mapping file, read. */
import { NS_PER_MS, NS_PER_SECOND, NS_PER_US } from '../base/index.ts';
import type { RecordClock } from '../record/index.ts';

export const TIME_UNITS = ['iso', 's', 'ms', 'us', 'ns'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

/** An instant or a duration. `iso` is an instant's only. */
export interface TimeColumn {
  readonly column: string;
  readonly unit: TimeUnit;
}

/** How the words of a column tell the end of a request; any other word is a failure. */
export interface OutcomeColumn {
  readonly column: string;
  readonly completed: readonly string[];
  readonly timedOut: readonly string[];
  readonly cancelled: readonly string[];
}

/** `null` = the log does not have it. */
export interface LogMapping {
  readonly start: TimeColumn | null;
  /** First token: as a duration from the start, or as an instant. */
  readonly ttft: TimeColumn | null;
  readonly firstToken: TimeColumn | null;
  /** End: as a duration from the start, or as an instant. */
  readonly e2e: TimeColumn | null;
  readonly end: TimeColumn | null;
  /** What the source calls its time per output token: held against the instants, never judged. */
  readonly timePerToken: TimeColumn | null;
  /** The id that the tries of one request share. */
  readonly request: string | null;
  readonly promptTokens: string | null;
  readonly outputTokens: string | null;
  /** HTTP status: below 400 completed, unless `outcome` says otherwise. */
  readonly status: string | null;
  readonly outcome: OutcomeColumn | null;
  /** Finish reason; not mapped: a completed request is taken as finished. */
  readonly finish: string | null;
  readonly model: string | null;
  readonly tenant: string | null;
  readonly class: string | null;
  readonly clock: RecordClock;
}

/** Nanoseconds to one of a unit. */
export function unitNs(unit: Exclude<TimeUnit, 'iso'>): number {
  return { s: NS_PER_SECOND, ms: NS_PER_MS, us: NS_PER_US, ns: 1 }[unit];
}

/** Every column the mapping names, with the key that names it. */
export function mappedColumns(
  mapping: LogMapping,
): { readonly key: string; readonly column: string }[] {
  return Object.entries(mapping).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'clock' || value === null) return [];
    if (typeof value === 'string') return [{ key, column: value }];
    return [{ key, column: (value as TimeColumn).column }];
  });
}
