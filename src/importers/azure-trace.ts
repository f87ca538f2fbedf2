/**
 * Azure LLM inference traces (github.com/Azure/AzurePublicDataset): lengths and arrival times of
 * production requests. `TIMESTAMP,ContextTokens,GeneratedTokens`, CRLF, seven digits of fraction
 * in the 2023 files; six and a zone in those of 2024.
 */
import { readCsvRows, type CsvRow } from './csv-rows.ts';
import {
  finishTrace,
  type ImportedTrace,
  type StampedRow,
  type TraceOptions,
} from './import-trace.ts';
import type { Imported } from './import-result.ts';
import { ProblemList } from './problem-list.ts';
import { parseWallStamp } from './trace-time.ts';

const COLUMNS = ['TIMESTAMP', 'ContextTokens', 'GeneratedTokens'] as const;
type Column = (typeof COLUMNS)[number];

/** Reads a whole trace file. Times are exact to the 100 ns that the file holds. */
export function parseAzureTrace(text: string, options: TraceOptions): Imported<ImportedTrace> {
  const file = new ProblemList(options.file);
  const holes = new ProblemList(options.file);
  const rows = readCsvRows(text, COLUMNS, { problems: file, code: 'E_TRACE_FORMAT' });
  const stamped: StampedRow[] = [];
  for (const row of rows) {
    const parsed = parseRow(row, holes);
    if (parsed !== null) stamped.push(parsed);
  }
  const skippedRows = rows.length - stamped.length;
  return finishTrace(stamped, { file, rows: holes, skippedRows }, options);
}

function parseRow(row: CsvRow<Column>, holes: ProblemList): StampedRow | null {
  const stamp = parseWallStamp(row.field.TIMESTAMP);
  if (stamp === null) addHole(holes, row, 'TIMESTAMP', 'a time like 2023-11-16 18:17:03.9799600');
  const promptTokens = tokenCount(row, 'ContextTokens', holes);
  const outputTokens = tokenCount(row, 'GeneratedTokens', holes);
  if (stamp === null || promptTokens === null || outputTokens === null) return null;
  const lengths = { promptTokens, outputTokens, blockIds: null, blockTokens: null, session: null };
  return { line: row.line, stamp, row: lengths };
}

function tokenCount(row: CsvRow<Column>, name: Column, holes: ProblemList): number | null {
  const text = row.field[name];
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  addHole(holes, row, name, 'a whole number of tokens, 1 or more');
  return null;
}

function addHole(holes: ProblemList, row: CsvRow<Column>, name: Column, expected: string): void {
  const found = row.field[name] === '' ? 'is missing' : `is not ${expected}`;
  holes.add({
    code: 'E_TRACE_ROW',
    line: row.line,
    column: row.columnOf(name),
    message: `${name} ${found}`,
    hint: 'set badRows: skip to leave such rows out and count them',
  });
}
