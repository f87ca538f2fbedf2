/** The figures of another tool beside goodput's, as text: terminal and Markdown. */
import { assertNever } from '../base/index.ts';
import type { Bridge, BridgeRow, Statistic } from '../conventions/index.ts';
import {
  countFigure,
  durationFigure,
  NOT_OBSERVED,
  rateFigure,
  tokenRateFigure,
} from './figures.ts';
import { aligned, wrapped } from './layout.ts';
import { literal, textTable } from './markdown-text.ts';

/** The statistics of a table; `--explain` and JSON have all. */
const SHOWN: ReadonlySet<Statistic | null> = new Set<Statistic | null>([
  'mean',
  'p50',
  'p99',
  null,
]);

/** Characters of a row's reasons. */
const WHY_LIMIT = 1_000;

/** Blanks before a sentence that belongs to the figures above it. */
const INDENT = '  ';

/** For people: a table for each measure, and under it why the figures differ. */
export function terminalBridge(
  bridges: readonly Bridge[],
  { width, explain }: { readonly width: number; readonly explain: boolean },
): string {
  return bridges
    .map((bridge) => `${loadLines(bridge, rowsOf(bridge, explain), width).join('\n')}\n`)
    .join('\n');
}

function rowsOf({ rows }: Bridge, explain: boolean): readonly BridgeRow[] {
  return explain ? rows : rows.filter((row) => SHOWN.has(row.statistic));
}

function loadLines(bridge: Bridge, rows: readonly BridgeRow[], width: number): string[] {
  const cells = [
    ['measure', '', bridge.convention, 'goodput', 'difference'],
    ...rows.map((row) => [
      row.measure,
      row.statistic ?? '',
      figureOf(row, row.tool),
      figureOf(row, row.goodput),
      differenceOf(row),
    ]),
  ];
  const [head = '', ...lines] = aligned(cells, 2);
  const text = [
    ...wrapped(headingOf(bridge), width),
    ...wrapped(requestsText(bridge), width),
    '',
    head,
  ];
  for (const [at, row] of rows.entries()) {
    text.push(lines[at] ?? '');
    const isLast = rows[at + 1]?.measure !== row.measure;
    if (isLast)
      text.push(
        ...whyLines(
          rows.filter((one) => one.measure === row.measure),
          width,
        ),
      );
  }
  return [...text, ...bridge.statements.flatMap((statement) => wrapped(statement, width))];
}

/** Every reason once, with what it adds to each statistic of its measure. */
function whyLines(rows: readonly BridgeRow[], width: number): string[] {
  const changes = new Map<string, string[]>();
  for (const row of rows) {
    for (const { why, change } of row.steps) {
      const label = row.statistic === null ? '' : `${row.statistic} `;
      changes.set(why, [...(changes.get(why) ?? []), `${label}${signed(row, change)}`]);
    }
  }
  const sentences = [
    ...[...changes].map(([why, added]) => `${why} (${added.join(', ')})`),
    ...remarksOf(rows[0]),
  ];
  return sentences.flatMap((sentence) =>
    wrapped(sentence, width - INDENT.length).map((line) => `${INDENT}${line}`),
  );
}

/** For a pull request or a page: one row a figure, the reasons in its last column. */
export function markdownBridge(
  bridges: readonly Bridge[],
  { explain }: { readonly explain: boolean },
): string {
  return bridges
    .map((bridge) => `${markdownLines(bridge, rowsOf(bridge, explain)).join('\n')}\n`)
    .join('\n');
}

function markdownLines(bridge: Bridge, rows: readonly BridgeRow[]): string[] {
  return [
    `## ${literal(headingOf(bridge))}`,
    '',
    requestsText(bridge),
    '',
    ...textTable(
      ['measure', bridge.convention, 'goodput', 'difference', 'why'],
      rows.map((row) => [
        row.statistic === null ? row.measure : `${row.measure} ${row.statistic}`,
        figureOf(row, row.tool),
        figureOf(row, row.goodput),
        differenceOf(row),
        literal(whyText(row), WHY_LIMIT),
      ]),
    ),
    ...(bridge.statements.length === 0 ? [] : ['', ...bridge.statements.map((one) => `- ${one}`)]),
  ];
}

function whyText(row: BridgeRow): string {
  const reasons = row.steps.map(({ why, change }) => `${signed(row, change)}: ${why}`);
  return [...reasons, ...remarksOf(row)].join('; ');
}

/** What holds of a measure whatever its figures. */
function remarksOf(row: BridgeRow | undefined): string[] {
  return [row?.remark ?? null, row?.lacking ?? null].filter((text) => text !== null);
}

function headingOf({ title, source, load }: Bridge): string {
  return `${load.label}: as ${title} would say it (${source.repository} ${source.version})`;
}

/** Who is in the figures, which every comparison begins with. */
function requestsText({ requests, title }: Bridge): string {
  const { sent, successes, others, dropped } = requests;
  const never =
    dropped === 0 ? '' : `; ${countFigure(dropped)} were due and never sent, which it cannot see`;
  return `Of ${countFigure(sent)} requests sent ${title} counts ${countFigure(successes)} as successes and leaves ${countFigure(others)} out of its figures${never}.`;
}

function differenceOf(row: BridgeRow): string {
  if (row.difference === null) return NOT_OBSERVED;
  return row.difference === 0 ? 'same' : signed(row, row.difference);
}

function signed(row: BridgeRow, change: number): string {
  return `${change < 0 ? '−' : '+'}${figureOf(row, Math.abs(change))}`;
}

function figureOf({ unit }: BridgeRow, value: number | null): string {
  switch (unit) {
    case 'ns':
      return durationFigure(value);
    case 'requests/s':
      return rateFigure(value);
    case 'tokens/s':
      return tokenRateFigure(value);
    default:
      return assertNever(unit);
  }
}
