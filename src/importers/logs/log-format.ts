/** What every log format says of itself, and how one value of a log becomes requests. */
import type { CoveredField, LoggedRequest, SourceFinding } from '../../logs/index.ts';
import type { LogObject } from './log-values.ts';

/** Whether the source writes a field, or it follows from others, and from what. */
export interface FieldOrigin {
  readonly how: 'measured' | 'derived' | 'absent';
  /** The source's own name, or the rule. */
  readonly from: string;
}

export interface LogFormat {
  readonly name: string;
  readonly title: string;
  /** Where each field comes from; a field not named is absent. */
  readonly fields: Readonly<Partial<Record<CoveredField, FieldOrigin>>>;
  /** Whether a value (a line, a CSV row, a document) is of this format. */
  readonly recognises: (value: LogObject) => boolean;
  /** The requests in a value; none when it is about something else. Broken ones hold `NaN`. */
  readonly read: (value: LogObject) => readonly LoggedRequest[];
  /** What a value that sums up many requests says wrongly of them. */
  readonly findings?: (value: LogObject) => readonly SourceFinding[];
}

export function measured(from: string): FieldOrigin {
  return { how: 'measured', from };
}

export function derived(from: string): FieldOrigin {
  return { how: 'derived', from };
}
