/** What all charts stand in: the drawing's edges, its axes, its legend and its words. */
import { markup, type Markup, trustedMarkup } from '../base/index.ts';
import type { ChartLabels } from './chart.ts';
import type { Axis, Scale } from './scale.ts';

/** The drawing's own units; the page scales it to its column. */
export const CHART_WIDTH = 480;
export const CHART_HEIGHT = 290;

export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Width of text in drawing units, near enough to keep labels apart. */
export function textWidth(text: string): number {
  return text.length * 7.3;
}

/** One decimal: what a screen can show, and what a golden can hold still. */
export function px(value: number): number {
  return Math.round(value * 10) / 10 + 0;
}

/** The `svg` element around a drawing, with the words for who cannot see it. */
export function svgOf(labels: ChartLabels, height: number, body: readonly Markup[]): Markup {
  const { name, title, description } = labels;
  return markup`<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 ${CHART_WIDTH} ${height}" role="img" aria-labelledby="${name}-title ${name}-desc"><title id="${name}-title">${title}</title><desc id="${name}-desc">${description}</desc>${body}</svg>`;
}

/** Ticks, rules and the axis name below the box. */
export function xAxis(axis: Axis, scale: Scale, box: Box): Markup {
  const shown = apart(axis, scale, box.left - 12);
  const ticks = shown.map((tick) => {
    const x = px(scale.at(tick));
    return markup`<line class="grid" x1="${x}" x2="${x}" y1="${box.top}" y2="${box.bottom}"/><text class="tick" x="${x}" y="${box.bottom + 17}" text-anchor="middle">${axis.format(tick)}</text>`;
  });
  return markup`<g>${ticks}<line class="axis" x1="${box.left}" x2="${box.right}" y1="${box.bottom}" y2="${box.bottom}"/><text class="name" x="${(box.left + box.right) / 2}" y="${box.bottom + 36}" text-anchor="middle">${axis.name}</text></g>`;
}

/** Ticks and rules beside the box; the axis name above it, where it can be read. */
export function yAxis(axis: Axis, scale: Scale, box: Box): Markup {
  const ticks = scale.ticks.map((tick) => {
    const y = px(scale.at(tick));
    return markup`<line class="grid" x1="${box.left}" x2="${box.right}" y1="${y}" y2="${y}"/><text class="tick" x="${box.left - 6}" y="${px(y + 4)}" text-anchor="end">${axis.format(tick)}</text>`;
  });
  return markup`<g>${ticks}<text class="name" x="${4}" y="${box.top - 9}">${axis.name}</text></g>`;
}

/** Ticks whose labels run neither into one another nor into those of the other axis. */
function apart(axis: Axis, scale: Scale, from: number): number[] {
  const shown: number[] = [];
  let freeFrom = from;
  for (const tick of scale.ticks) {
    const half = textWidth(axis.format(tick)) / 2 + 4;
    if (scale.at(tick) - half < freeFrom) continue;
    shown.push(tick);
    freeFrom = scale.at(tick) + half;
  }
  return shown;
}

/** One name of the legend and the classes of its mark. */
export interface LegendEntry {
  readonly name: string;
  readonly mark: string;
  readonly shape: 'line' | 'block';
}

const LEGEND_ROW = 20;

/** The legend, wrapped to the drawing, and its height. */
export function legendOf(
  entries: readonly LegendEntry[],
  top: number,
): { readonly legend: Markup; readonly height: number } {
  let x = 4;
  let row = 0;
  const items: Markup[] = [];
  for (const { name, mark, shape } of entries) {
    const shortName = name.length > 40 ? `${name.slice(0, 39)}…` : name;
    const width = 44 + textWidth(shortName);
    if (x > 4 && x + width > CHART_WIDTH) {
      x = 4;
      row += 1;
    }
    const y = top + row * LEGEND_ROW + 12;
    const sample =
      shape === 'line'
        ? markup`<line class="${mark}" x1="${x}" x2="${x + 22}" y1="${y - 4}" y2="${y - 4}"/>`
        : markup`<rect class="${mark}" x="${x}" y="${y - 10}" width="14" height="11"/>`;
    items.push(
      markup`${sample}<text x="${x + (shape === 'line' ? 27 : 19)}" y="${y}">${shortName}</text>`,
    );
    x += width;
  }
  return {
    legend: markup`<g>${items}</g>`,
    height: entries.length === 0 ? 0 : (row + 1) * LEGEND_ROW + 4,
  };
}

/** The native tooltip of a mark: works with scripts off, and is read aloud. */
export function tip(text: string): Markup {
  return markup`<title>${text}</title>`;
}

/** `M1,2L3,4…` of places in the drawing. */
export function pathOf(places: readonly (readonly [number, number])[]): Markup {
  return trustedMarkup(
    places.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${px(x)},${px(y)}`).join(''),
  );
}
