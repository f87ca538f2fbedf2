/** What the trace importers have in common: from stamped rows to rows in order, with notes. */
import { simultaneousArrivals, type TraceRow } from '../workload/index.ts';
import { counted, type Imported } from './import-result.ts';
import type { ProblemList } from './problem-list.ts';
import { earliest, inOrderOfTime, nsSince, requireOneClock, type Stamped } from './trace-time.ts';

export interface TraceOptions {
  /** Name of the file, for problems. */
  readonly file: string;
  /** `fail`: a row with a hole is a problem. `skip`: it is left out and counted. */
  readonly badRows: 'fail' | 'skip';
}

export interface ImportedTrace {
  /** In order of time; the first arrives at 0. */
  readonly rows: readonly TraceRow[];
  /** Rows left out because of holes. */
  readonly skippedRows: number;
}

/** A row before its time is known from the start of the trace. */
export interface StampedRow extends Stamped {
  readonly row: Omit<TraceRow, 'atNs'>;
}

/** Puts rows on one origin and in order, unless something is wrong with the file or its rows. */
export function finishTrace(
  stamped: readonly StampedRow[],
  problems: {
    readonly file: ProblemList;
    readonly rows: ProblemList;
    readonly skippedRows: number;
  },
  { badRows }: TraceOptions,
): Imported<ImportedTrace> {
  requireOneClock(stamped, problems.file);
  if (problems.file.count > 0) return failed(problems.file);
  if (badRows === 'fail' && problems.rows.count > 0) return failed(problems.rows);
  if (stamped.length === 0) {
    const message = 'the trace holds no usable row';
    problems.file.add({ code: 'E_TRACE_FORMAT', line: 1, column: 1, message, hint: null });
    return failed(problems.file);
  }
  const origin = earliest(stamped);
  const placed = stamped.map(({ row, stamp }) => ({ atNs: nsSince(stamp, origin), ...row }));
  const { rows, outOfOrder } = inOrderOfTime(placed);
  const { skippedRows } = problems;
  const together = simultaneousArrivals(rows);
  const notes: string[] = [];
  if (skippedRows > 0) {
    const first = problems.rows.firstLine;
    notes.push(`${counted(skippedRows, 'row')} with holes left out, the first on line ${first}`);
  }
  if (outOfOrder > 0) notes.push(`${counted(outOfOrder, 'row')} out of order, sorted by time`);
  if (together > 0) {
    const share = `${counted(together, 'arrival')} of ${rows.length}`;
    notes.push(`${share} at the same instant as another; replayed so, no jitter is added`);
  }
  return { kind: 'imported', value: { rows, skippedRows }, notes };
}

function failed(list: ProblemList): Imported<never> {
  return { kind: 'problems', problems: list.toProblems() };
}
