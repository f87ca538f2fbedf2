/**
 * `charts`: data in, SVG text out, with the figures beside it. Start with `chart.ts` (what a chart
 * is) and `xy-chart.ts` (most of them); `chart-style.ts` has every colour, `ecdf.ts` thins
 * distributions. Pure: equal data give equal text.
 */
export * from './change-chart.ts';
export { CHART_STYLE, standaloneSvg, THEME_STYLE } from './chart-style.ts';
export type { Chart, ChartLabels, ChartTable } from './chart.ts';
export { csvText } from './csv.ts';
export * from './ecdf.ts';
export * from './gantt-chart.ts';
export * from './parts-chart.ts';
export type { Axis } from './scale.ts';
export * from './xy-chart.ts';
