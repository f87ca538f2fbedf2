/** A row a request: when it was planned, sent, first answered and done. */
import { markup, type Markup } from '../base/index.ts';
import type { Chart, ChartLabels } from './chart.ts';
import { type Box, CHART_WIDTH, legendOf, px, svgOf, tip, xAxis } from './frame.ts';
import { type Axis, type Scale, scaleOf } from './scale.ts';

/** Instants in seconds from the start of the run; `null` = never came. */
export interface GanttRow {
  readonly label: string;
  readonly plannedSeconds: number;
  readonly sentSeconds: number | null;
  readonly firstSeconds: number | null;
  readonly endSeconds: number | null;
  readonly tone: 'good' | 'bad' | 'doubt';
  readonly tip: string;
}

export interface GanttOptions extends ChartLabels {
  readonly x: Axis;
  readonly rows: readonly GanttRow[];
}

const ROWS_HEIGHT_MAX = 420;
const ROW_HEIGHT_MAX = 12;

/** The chart; a request that was never sent is a mark at its planned instant. */
export function ganttChart(options: GanttOptions): Chart {
  const { rows } = options;
  const { legend, height } = legendOf(
    [
      { name: 'until sent', mark: 'fill wait', shape: 'block' },
      { name: 'until first output', mark: 'fill s0', shape: 'block' },
      { name: 'output, good', mark: 'fill good', shape: 'block' },
      { name: 'missed', mark: 'fill bad', shape: 'block' },
      { name: 'unjudged', mark: 'fill doubt', shape: 'block' },
    ],
    0,
  );
  const rowHeight = Math.min(ROW_HEIGHT_MAX, ROWS_HEIGHT_MAX / Math.max(1, rows.length));
  const box: Box = {
    left: 12,
    right: CHART_WIDTH - 20,
    top: height + 6,
    bottom: height + 6 + rowHeight * Math.max(4, rows.length),
  };
  const instants = rows.flatMap((row) => [
    row.plannedSeconds,
    row.endSeconds ?? row.plannedSeconds,
  ]);
  const first = instants.reduce((least, at) => Math.min(least, at), Infinity);
  const last = instants.reduce((most, at) => Math.max(most, at), -Infinity);
  const domain: readonly [number, number] = rows.length === 0 ? [0, 1] : [first, last + 1e-6];
  const x = scaleOf({ ...options.x, domain }, [], [box.left, box.right]);
  const body = rows.map((row, at) => rowMarks(row, box.top + at * rowHeight, rowHeight, x));
  const { name, title, description } = options;
  return {
    name,
    title,
    description,
    svg: svgOf(options, Math.ceil(box.bottom + 46), [legend, xAxis(options.x, x, box), ...body]),
    table: {
      columns: ['request', 'planned s', 'sent s', 'first output s', 'end s', 'verdict'],
      rows: rows.map((row) => [
        row.label,
        row.plannedSeconds,
        row.sentSeconds,
        row.firstSeconds,
        row.endSeconds,
        { good: 'good', bad: 'missed', doubt: 'unjudged' }[row.tone],
      ]),
    },
  };
}

function rowMarks(row: GanttRow, y: number, rowHeight: number, x: Scale): Markup {
  const { plannedSeconds, sentSeconds, firstSeconds, endSeconds, tone } = row;
  const thick = Math.max(1, rowHeight * 0.75);
  const bar = (from: number, to: number, mark: string): Markup | null => {
    const width = px(x.at(to) - x.at(from));
    return width <= 0
      ? null
      : markup`<rect class="fill ${mark}" x="${px(x.at(from))}" y="${px(y)}" width="${width}" height="${px(thick)}"/>`;
  };
  if (sentSeconds === null) {
    return markup`<g><rect class="fill ${tone}" x="${px(x.at(plannedSeconds) - 1)}" y="${px(y)}" width="3" height="${px(thick)}"/>${tip(row.tip)}</g>`;
  }
  const end = endSeconds ?? sentSeconds;
  const parts = [
    bar(plannedSeconds, sentSeconds, 'wait'),
    bar(sentSeconds, firstSeconds ?? end, firstSeconds === null ? tone : 's0'),
    firstSeconds === null ? null : bar(firstSeconds, end, tone),
  ];
  return markup`<g>${parts}${tip(row.tip)}</g>`;
}
