/** Windows of a log as rows of a table, on a terminal no wider than the page. */
import { percentText, roundedDuration } from '../base/index.ts';
import { isoInstant, type LogTable, type LogWindow, type PanelFigure } from '../logs/index.ts';
import { shareRange } from './figures.ts';
import { aligned } from './layout.ts';

export const WINDOW_HEAD = [
  'attained',
  'interval',
  'good/offered',
  'unjudged',
  'TTFT p95',
  'TPOT p95',
  '',
];

/** What a narrow page does without, each with all before it. The sentences below the table tell it too. */
const SHAPES = [
  { leftOut: [], marks: false },
  { leftOut: ['unjudged'], marks: false },
  { leftOut: ['unjudged'], marks: true },
  { leftOut: ['unjudged', 'interval'], marks: true },
  { leftOut: ['unjudged', 'interval', 'good/offered'], marks: true },
] as const;

const DISAGREEMENTS = {
  panelsPass: { words: 'PANELS GREEN, MISSED', mark: '!' },
  panelsMiss: { words: 'panel red, met', mark: '*' },
} as const;

/** A label is cut to no fewer characters. */
const LABEL_LEAST = 8;

/** The table in at most `width` columns: less is shown, at last labels are cut. */
export function windowLines(
  windows: readonly LogWindow[],
  table: LogTable,
  width: number,
): string[] {
  if (windows.length === 0) return [];
  let lines: string[] = [];
  for (const shape of SHAPES) {
    lines = linesOf(windows, table, shape, Infinity);
    if (widest(lines) <= width) return lines;
  }
  const longest = widest(windows.flatMap(({ stratum }) => Object.values(stratum)));
  const labelMost = Math.max(LABEL_LEAST, longest - (widest(lines) - width));
  return linesOf(windows, table, SHAPES.at(-1) ?? SHAPES[0], labelMost);
}

function widest(lines: readonly string[]): number {
  return lines.reduce((most, line) => Math.max(most, line.length), 0);
}

function linesOf(
  windows: readonly LogWindow[],
  table: LogTable,
  { leftOut, marks }: (typeof SHAPES)[number],
  labelMost: number,
): string[] {
  const keys = table.by.keys.filter((key) => windows.some((one) => key in one.stratum));
  const timed = windows.some((one) => one.fromUs !== null);
  const lead = [...(timed ? ['window (UTC)'] : []), ...keys];
  const kept = WINDOW_HEAD.map((name) => !leftOut.some((other) => other === name));
  const shown = (cells: readonly string[]): string[] => cells.filter((_, at) => kept[at]);
  const body = windows.map((one) => [
    ...(timed ? [one.fromUs === null ? 'all' : shortInstant(one.fromUs, table)] : []),
    ...keys.map((key) => cutLabel(one.stratum[key] ?? '', labelMost)),
    ...shown([
      ...windowCells(one).slice(0, -1),
      one.disagreement === null ? '' : DISAGREEMENTS[one.disagreement][marks ? 'mark' : 'words'],
    ]),
  ]);
  const whole = lead.length === 0;
  const lines = aligned(
    [
      [...(whole ? ['all'] : lead), ...shown(WINDOW_HEAD)],
      ...body.map((row) => (whole ? ['', ...row] : row)),
    ],
    whole ? 1 : lead.length,
  );
  return marks ? [...lines, ...legend(windows)] : lines;
}

function legend(windows: readonly LogWindow[]): string[] {
  return (['panelsPass', 'panelsMiss'] as const)
    .filter((kind) => windows.some(({ disagreement }) => disagreement === kind))
    .map((kind) => `${DISAGREEMENTS[kind].mark} ${DISAGREEMENTS[kind].words}`);
}

function cutLabel(label: string, most: number): string {
  return label.length <= most ? label : `${label.slice(0, most - 1)}…`;
}

/** Without seconds where all windows start on a minute. */
function shortInstant(us: number, { by }: LogTable): string {
  const whole = by.windowUs !== null && by.windowUs % 60_000_000 === 0;
  return isoInstant(us).slice(0, whole ? 16 : -1);
}

/** A window under {@link WINDOW_HEAD}. */
export function windowCells(one: LogWindow): string[] {
  const { share, interval, good, offered, unjudged } = one.attainment;
  return [
    one.lowTraffic || share === null ? 'few' : percentText(share),
    interval === null || one.lowTraffic ? '-' : shareRange(interval.low, interval.high),
    `${good}/${offered}`,
    String(unjudged),
    panelText(one.ttft),
    panelText(one.tpot),
    one.disagreement === null ? '' : DISAGREEMENTS[one.disagreement].words,
  ];
}

/** `~397 ms ok`: a p95 within 1 %, and whether it is within its limit by count; `-` without one. */
export function panelText({ p95Ns, passes }: PanelFigure): string {
  if (p95Ns === null) return '-';
  const text = `~${roundedDuration(p95Ns)}`;
  return passes === null ? text : `${text} ${passes ? 'ok' : 'over'}`;
}
