/** Rows of a CSV file with a header, and where their fields stand. */
import { CsvError, parse, type Info } from 'csv-parse/sync';
import { nearestWord, type ErrorCode } from '../base/index.ts';
import type { ProblemList } from './problem-list.ts';

export interface CsvRow<Name extends string> {
  readonly line: number;
  /** Text of the field; empty where the row is too short. */
  readonly field: Readonly<Record<Name, string>>;
  /** Column of the line where the field starts; exact unless a field before it is quoted. */
  readonly columnOf: (name: Name) => number;
}

/**
 * Reads the named columns, in whatever order the header has them. CRLF or LF, with or without
 * byte order mark and last line end. Without such a header, or with a broken quote, adds a problem
 * and gives no rows.
 */
export function readCsvRows<Name extends string>(
  text: string,
  names: readonly Name[],
  { problems, code }: { readonly problems: ProblemList; readonly code: ErrorCode },
): CsvRow<Name>[] {
  const records = parseRecords(text, { problems, code });
  const header = records?.shift()?.fields ?? [];
  if (records === null || !hasColumns(header, names, { problems, code })) return [];
  const places = names.map((name) => [name, header.indexOf(name)] as const);
  const placeOf = new Map(places);
  return records.map(({ line, fields }) => ({
    line,
    field: Object.fromEntries(
      places.map(([name, place]) => [name, (fields[place] ?? '').trim()]),
    ) as Record<Name, string>,
    columnOf: (name) => {
      const before = fields.slice(0, placeOf.get(name));
      return before.reduce((column, field) => column + field.length + 1, 1);
    },
  }));
}

function parseRecords(
  text: string,
  { problems, code }: { readonly problems: ProblemList; readonly code: ErrorCode },
): { line: number; fields: string[] }[] | null {
  try {
    const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true };
    // With `info` each record comes with its position; the library's types do not say so.
    const records = parse(text, options) as unknown as { info: Info; record: string[] }[];
    return records.map(({ info, record }) => ({ line: info.lines, fields: record }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error['lines'] === 'number' ? error['lines'] : 1;
    problems.add({ code, line, column: 1, message: 'not valid CSV: a quote is open', hint: null });
    return null;
  }
}

function hasColumns(
  header: readonly string[],
  names: readonly string[],
  { problems, code }: { readonly problems: ProblemList; readonly code: ErrorCode },
): boolean {
  const missing = names.filter((name) => !header.includes(name));
  for (const name of missing) {
    const near = nearestWord(name, header);
    problems.add({
      code,
      line: 1,
      column: 1,
      message: `the header has no column ${name}`,
      hint: near === null ? `expected ${names.join(',')}` : `did you mean ${near} to be ${name}?`,
    });
  }
  return missing.length === 0;
}
