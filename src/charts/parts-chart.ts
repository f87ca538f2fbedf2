/** One bar of parts that sum to a whole: the ledger of a load point. */
import { markup } from '../base/index.ts';
import type { Chart, ChartLabels } from './chart.ts';
import { CHART_WIDTH, legendOf, px, svgOf, tip } from './frame.ts';

export interface Part {
  readonly name: string;
  readonly count: number;
  /** A class of `CHART_STYLE`. */
  readonly tone: string;
}

const BAR_HEIGHT = 30;

/** Parts of zero are left out of the drawing and stay in the table. */
export function partsChart(options: ChartLabels & { readonly parts: readonly Part[] }): Chart {
  const { name, title, description, parts } = options;
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const shown = parts.filter(({ count }) => count > 0);
  const { legend, height } = legendOf(
    shown.map((part) => ({
      name: `${part.name} ${part.count}`,
      mark: `fill ${part.tone}`,
      shape: 'block',
    })),
    0,
  );
  let x = 4;
  const bars = shown.map((part) => {
    // A single miss in a million must still show.
    const width = Math.max(2, ((CHART_WIDTH - 24) * part.count) / total);
    const bar = markup`<rect class="fill ${part.tone}" x="${px(x)}" y="${height + 4}" width="${px(width)}" height="${BAR_HEIGHT}">${tip(`${part.name}: ${part.count} of ${total}`)}</rect>`;
    x += width;
    return bar;
  });
  return {
    name,
    title,
    description,
    svg: svgOf(options, height + BAR_HEIGHT + 12, [legend, ...bars]),
    table: {
      columns: ['part', 'requests'],
      rows: parts.map((part) => [part.name, part.count]),
    },
  };
}
