/** Lines, steps and points over two axes: most charts of a report. */
import { markup, type Markup, trustedMarkup } from '../base/index.ts';
import type { Chart, ChartLabels, ChartTable } from './chart.ts';
import {
  type Box,
  CHART_HEIGHT,
  CHART_WIDTH,
  legendOf,
  type LegendEntry,
  pathOf,
  px,
  svgOf,
  textWidth,
  tip,
  xAxis,
  yAxis,
} from './frame.ts';
import { type Axis, type Scale, scaleOf } from './scale.ts';

export interface XyPoint {
  readonly x: number;
  /** `null`: not observed; the line breaks there. */
  readonly y: number | null;
  /** Interval of `y`; `null` where none can be stated. */
  readonly low?: number | null;
  readonly high?: number | null;
  /** What the tooltip says; left out: no tooltip. */
  readonly tip?: string;
  /** Drawn hollow: seen, and claims nothing. */
  readonly hollow?: boolean;
}

export interface XySeries {
  readonly name: string;
  /** `line` joins the points, `steps` holds each value until the next, `points` joins none. */
  readonly draw: 'line' | 'steps' | 'points' | 'area';
  /** Whether each point has a mark of its own. */
  readonly dots: boolean;
  readonly points: readonly XyPoint[];
  /** A class of `CHART_STYLE` instead of the series' own colour. */
  readonly tone?: string;
}

/** A line across the chart: an objective's limit, or the target to reach. */
export interface Reference {
  readonly axis: 'x' | 'y';
  readonly at: number;
  readonly label: string;
  readonly kind: 'limit' | 'target';
}

export interface XyOptions extends ChartLabels {
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly XySeries[];
  readonly references: readonly Reference[];
  /** Draws y = x, e.g. "all that was offered". */
  readonly diagonal?: string;
}

/** The chart; figures of all series are in its table, one row a point. */
export function xyChart(options: XyOptions): Chart {
  const { series, references, diagonal } = options;
  const drawn = series.filter(({ points }) => points.length > 0);
  const entries = drawn.map((one, at): LegendEntry => legendEntry(one, at));
  const { legend, height } = legendOf(
    diagonal === undefined
      ? entries
      : [...entries, { name: diagonal, mark: 'axis', shape: 'line' }],
    0,
  );
  const box = boxOf(options, height);
  const x = scaleOf(options.x, xValues(options), [box.left, box.right]);
  const y = scaleOf(options.y, yValues(options), [box.bottom, box.top]);
  const body = [
    legend,
    yAxis(options.y, y, box),
    xAxis(options.x, x, box),
    ...(diagonal === undefined ? [] : [diagonalLine(x, y)]),
    ...drawn.map((one, at) => seriesMarks(one, at, x, y, box)),
    ...referenceMarks(references, x, y, box),
  ];
  const svg = svgOf(options, CHART_HEIGHT + height, body);
  const { name, title, description } = options;
  return { name, title, description, svg, table: tableOf(options) };
}

function boxOf({ y }: XyOptions, legendHeight: number): Box {
  const widest = Math.max(...[1, 100, 0.5].map((value) => textWidth(y.format(value))));
  const left = Math.max(44, Math.min(72, widest + 14));
  return {
    left,
    right: CHART_WIDTH - 20,
    top: legendHeight + 26,
    bottom: CHART_HEIGHT + legendHeight - 46,
  };
}

function xValues({ series, references }: XyOptions): number[] {
  return [
    ...series.flatMap(({ points }) => points.map((point) => point.x)),
    ...references.filter(({ axis }) => axis === 'x').map(({ at }) => at),
  ];
}

function yValues({ series, references }: XyOptions): number[] {
  return [
    ...series.flatMap(({ points }) =>
      points.flatMap(({ y, high }) => [y, high ?? null].filter((value) => value !== null)),
    ),
    ...references.filter(({ axis }) => axis === 'y').map(({ at }) => at),
  ];
}

function toneOf({ tone }: XySeries, at: number): string {
  return tone ?? `s${at % 8}`;
}

function legendEntry(series: XySeries, at: number): LegendEntry {
  const isLine = series.draw === 'line' || series.draw === 'steps';
  const mark = `${isLine ? 'line' : 'fill'} ${toneOf(series, at)}`;
  return { name: series.name, mark, shape: isLine ? 'line' : 'block' };
}

function seriesMarks(series: XySeries, at: number, x: Scale, y: Scale, box: Box): Markup {
  const tone = toneOf(series, at);
  const seen = series.points.flatMap((point) =>
    point.y === null ? [] : [{ ...point, place: [x.at(point.x), y.at(point.y)] as const }],
  );
  const whiskers = seen.flatMap(({ low, high, place }) =>
    low === undefined || low === null || high === undefined || high === null
      ? []
      : [whisker(place[0], y.at(low), y.at(high), tone)],
  );
  const dots = seen.map(({ place, hollow, tip: text }) => {
    const kind = hollow === true ? 'hollow' : 'dot';
    return markup`<circle class="${kind} ${tone}" cx="${px(place[0])}" cy="${px(place[1])}" r="4">${text === undefined ? null : tip(text)}</circle>`;
  });
  return markup`<g>${linePart(series, tone, x, y, box)}${whiskers}${series.dots ? dots : null}</g>`;
}

function linePart(series: XySeries, tone: string, x: Scale, y: Scale, box: Box): Markup | null {
  if (series.draw === 'points') return null;
  const runs = runsOf(series.points).map((run) =>
    placesOf(run, series.draw === 'line' ? 'line' : 'steps', x, y),
  );
  const data = trustedMarkup(runs.map((places) => pathOf(places).text).join(''));
  if (series.draw !== 'area') return markup`<path class="line ${tone}" d="${data}"/>`;
  const closed = runs.flatMap((places) => {
    const [first, last] = [places[0], places.at(-1)];
    if (first === undefined || last === undefined) return [];
    return [pathOf([[first[0], box.bottom], ...places, [last[0], box.bottom]]).text];
  });
  return markup`<path class="area ${tone}" d="${trustedMarkup(closed.join(''))}"/><path class="line ${tone}" d="${data}"/>`;
}

/** Stretches without a hole. */
function runsOf(points: readonly XyPoint[]): XyPoint[][] {
  const runs: XyPoint[][] = [[]];
  for (const point of points) {
    if (point.y === null) runs.push([]);
    else runs.at(-1)?.push(point);
  }
  return runs.filter((run) => run.length > 0);
}

function placesOf(
  run: readonly XyPoint[],
  draw: 'line' | 'steps',
  x: Scale,
  y: Scale,
): (readonly [number, number])[] {
  return run.flatMap((point, at) => {
    const here = [x.at(point.x), y.at(point.y as number)] as const;
    const before = run[at - 1];
    if (draw === 'line' || before === undefined) return [here];
    return [[here[0], y.at(before.y as number)] as const, here];
  });
}

function whisker(x: number, low: number, high: number, tone: string): Markup {
  const cap = (y: number): string => `M${px(x - 5)},${px(y)}H${px(x + 5)}`;
  const data = `${cap(low)}${cap(high)}M${px(x)},${px(low)}V${px(high)}`;
  return markup`<path class="whisker ${tone}" d="${data}"/>`;
}

function diagonalLine(x: Scale, y: Scale): Markup {
  const from = Math.max(x.domain[0], y.domain[0]);
  const to = Math.min(x.domain[1], y.domain[1]);
  return markup`<line class="axis" x1="${px(x.at(from))}" y1="${px(y.at(from))}" x2="${px(x.at(to))}" y2="${px(y.at(to))}"/>`;
}

/** Labels of vertical lines step up from where most curves leave room, so that near ones do not cover each other. */
function referenceMarks(references: readonly Reference[], x: Scale, y: Scale, box: Box): Markup[] {
  let row = 0;
  return references.map(({ axis, at, label, kind }) => {
    if (axis === 'y') {
      const place = px(y.at(at));
      return markup`<line class="${kind}" x1="${box.left}" x2="${box.right}" y1="${place}" y2="${place}"/><text class="${kind}-text halo" x="${box.right - 4}" y="${px(place - 5)}" text-anchor="end">${label}</text>`;
    }
    const place = px(x.at(at));
    const textY = box.bottom - 8 - 17 * (row++ % 8);
    const isRight = place + textWidth(label) + 8 > box.right;
    return markup`<line class="${kind}" x1="${place}" x2="${place}" y1="${box.top}" y2="${box.bottom}"/><text class="${kind}-text halo" x="${px(place + (isRight ? -5 : 5))}" y="${textY}" text-anchor="${isRight ? 'end' : 'start'}">${label}</text>`;
  });
}

function tableOf({ x, y, series }: XyOptions): ChartTable {
  const hasInterval = series.some(({ points }) => points.some(({ low }) => (low ?? null) !== null));
  return {
    columns: ['series', x.name, y.name, ...(hasInterval ? ['low', 'high'] : [])],
    rows: series.flatMap(({ name, points }) =>
      points.map((point) => [
        name,
        point.x,
        point.y,
        ...(hasInterval ? [point.low ?? null, point.high ?? null] : []),
      ]),
    ),
  };
}
