/** A chart and the figures behind it: the two never travel apart. */
import type { Markup } from '../base/index.ts';

/** Columns of a table; cells are numbers, `null` where nothing was observed, or labels. */
export interface ChartTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

export interface Chart {
  /** File name without its ending, and anchor: `load-goodput`. */
  readonly name: string;
  readonly title: string;
  /** What it shows, in a sentence for those who cannot see it. */
  readonly description: string;
  /** One `svg` element, coloured by the classes of `CHART_STYLE`. */
  readonly svg: Markup;
  /** Every figure that is drawn, units in the column names. */
  readonly table: ChartTable;
}

/** What every chart is asked by. */
export interface ChartLabels {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}
