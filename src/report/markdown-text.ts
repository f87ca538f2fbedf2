/** Markdown that says what it was told and nothing else: all foreign text is escaped. */
import { printable } from '../base/index.ts';

/** Foreign text as Markdown text: shown literally, on one line, never as markup, link or HTML. */
export function literal(text: string, limit = 400): string {
  return printable(text, limit)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/[\\`*_[\]#|~]/g, (mark) => `\\${mark}`)
    .replaceAll('://', '&#58;//')
    .replace(/\bwww\./gi, (word) => `${word.slice(0, -1)}&#46;`);
}

/** A table; cells are Markdown already, and the first column is text, the others numbers. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = header.map((_, column) => (column === 0 ? '---' : '---:'));
  return [line(header), line(rule), ...rows.map(line)];
}

/** A table of names and texts. */
export function textTable(
  header: readonly [string, string, ...string[]],
  rows: readonly (readonly string[])[],
): string[] {
  const [head = '', , ...body] = table(header, rows);
  return [head, `|${' --- |'.repeat(header.length)}`, ...body];
}

/** A fenced block whose fence is longer than any run of backticks inside. */
export function fenced(language: string, text: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  const lines = text.split('\n').map((line) => printable(line, Number.POSITIVE_INFINITY));
  return [`${fence}${language}`, ...lines, fence];
}
