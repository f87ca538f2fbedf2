/** Changes with their intervals, a row a metric, around the line of no change. */
import { markup } from '../base/index.ts';
import type { Chart, ChartLabels } from './chart.ts';
import { type Box, CHART_WIDTH, px, svgOf, textWidth, tip, xAxis } from './frame.ts';
import { type Axis, scaleOf } from './scale.ts';

export interface ChangeRow {
  readonly name: string;
  readonly change: number;
  /** `null` where no interval can be stated. */
  readonly low: number | null;
  readonly high: number | null;
  readonly tone: string;
  readonly tip: string;
}

const ROW_HEIGHT = 26;
/** Changes beyond ±100 % are drawn at the edge: one wild metric must not flatten the others. */
const REACH_MAX = 1;

export function changeChart(
  options: ChartLabels & { readonly x: Axis; readonly rows: readonly ChangeRow[] },
): Chart {
  const { name, title, description, rows } = options;
  const widest = Math.max(60, ...rows.map((row) => textWidth(row.name)));
  const box: Box = {
    left: Math.min(170, widest + 10),
    right: CHART_WIDTH - 20,
    top: 8,
    bottom: 8 + ROW_HEIGHT * Math.max(1, rows.length),
  };
  const widestChange = rows.reduce(
    (most, { change, low, high }) =>
      Math.max(most, Math.abs(change), Math.abs(low ?? 0), Math.abs(high ?? 0)),
    0.01,
  );
  const reach = Math.min(REACH_MAX, widestChange);
  const x = scaleOf(
    { ...options.x, domain: [-1.1 * reach, 1.1 * reach] },
    [],
    [box.left, box.right],
  );
  const at = (change: number): number =>
    px(x.at(Math.max(-1.1 * reach, Math.min(1.1 * reach, change))));
  const zero = at(0);
  const marks = rows.map((row, index) => {
    const y = box.top + ROW_HEIGHT * (index + 0.5);
    const { low, high } = row;
    const bar =
      low === null || high === null
        ? null
        : markup`<path class="whisker ${row.tone}" d="M${at(low)},${px(y)}H${at(high)}"/>`;
    return markup`<g><text x="4" y="${px(y + 4)}">${row.name}</text>${bar}<circle class="${bar === null ? 'hollow' : 'dot'} ${row.tone}" cx="${at(row.change)}" cy="${px(y)}" r="5"/>${tip(row.tip)}</g>`;
  });
  const zeroLine = markup`<line class="axis" x1="${zero}" x2="${zero}" y1="${box.top}" y2="${box.bottom}"/>`;
  return {
    name,
    title,
    description,
    svg: svgOf(options, box.bottom + 46, [xAxis(options.x, x, box), zeroLine, ...marks]),
    table: {
      columns: ['metric', 'change', 'low', 'high'],
      rows: rows.map((row) => [row.name, row.change, row.low, row.high]),
    },
  };
}
