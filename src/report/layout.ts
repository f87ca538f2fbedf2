/**
 * Lines of a fixed-width page. Every text that passes here is made safe to show, so that nothing a
 * server, file or label says can drive the terminal.
 */
import { printable } from '../base/index.ts';

/** Wide enough for the tables, narrow enough for a half-screen window. */
export const PAGE_WIDTH = 100;
/** Width of the word that opens a labelled line. */
export const LABEL_WIDTH = 9;

const SAFE_LIMIT = 4_000;
/** A column is not wrapped to less. */
const WRAP_LEAST = 20;

/** A paragraph under a word in the margin, wrapped at blanks; the word stands on the first line. */
export function labelled(label: string, text: string, width: number): string[] {
  const lines = wrapped(text, width - LABEL_WIDTH);
  return lines.map((line, index) => `${(index === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`);
}

/** The first `limit` lines; what does not fit is cut with `…`. */
export function atMost(limit: number, lines: readonly string[], width: number): string[] {
  if (lines.length <= limit) return [...lines];
  const kept = lines.slice(0, limit);
  const last = kept.at(-1) as string;
  return [...kept.slice(0, -1), `${last.slice(0, width - 2).trimEnd()} …`];
}

/** Text cut into lines at blanks; a longer word is cut hard. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of printable(text, SAFE_LIMIT).split(' ')) {
    let rest = word;
    if (line !== '' && line.length + 1 + rest.length > width) {
      lines.push(line);
      line = '';
    }
    while (rest.length > width) {
      lines.push(rest.slice(0, width));
      rest = rest.slice(width);
    }
    line = line === '' ? rest : `${line} ${rest}`;
  }
  lines.push(line);
  return lines;
}

/** Rows without a header, all columns left; the last one is wrapped within `width`, under itself. */
export function alignedWithin(rows: readonly (readonly string[])[], width: number): string[] {
  const leads = aligned(
    rows.map((row) => [...row.slice(0, -1), '']),
    Number.POSITIVE_INFINITY,
  );
  const lead = leads.reduce((most, line) => Math.max(most, line.length), 0) + 2;
  return rows.flatMap((row, at) =>
    wrapped(row.at(-1) ?? '', Math.max(WRAP_LEAST, width - lead)).map((line, nth) =>
      `${(nth === 0 ? (leads[at] ?? '') : '').padEnd(lead)}${line}`.trimEnd(),
    ),
  );
}

/** Rows under a header, columns two blanks apart; the first column left, numbers right. */
export function aligned(rows: readonly (readonly string[])[], leftColumns = 1): string[] {
  const safe = rows.map((row) => row.map((cell) => printable(cell)));
  const widths = (safe[0] ?? []).map((_, column) =>
    Math.max(...safe.map((row) => (row[column] ?? '').length)),
  );
  return safe.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column < leftColumns ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
