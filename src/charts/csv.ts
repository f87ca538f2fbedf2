/** The figures behind a chart as CSV (RFC 4180). */
import { printable } from '../base/index.ts';
import type { ChartTable } from './chart.ts';

/** Lines ended by `\n`; an empty cell is what was not observed. No cell is a formula. */
export function csvText({ columns, rows }: ChartTable): string {
  return [columns, ...rows].map((row) => `${row.map(cellText).join(',')}\n`).join('');
}

function cellText(cell: string | number | null): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = printable(cell, 1_000);
  // A spreadsheet would take a label that starts so for a formula and run it.
  const inert = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
