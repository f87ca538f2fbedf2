/** A Pareto frontier on a terminal and for a pull request. */
import type { ParetoPoint, ParetoResult } from '../planner/index.ts';
import { durationFigure, levelFigure } from './figures.ts';
import { aligned, labelled, PAGE_WIDTH } from './layout.ts';
import { literal, table } from './markdown-text.ts';
import { paletteOf } from './palette.ts';
import {
  axesText,
  bestText,
  gainName,
  latencyName,
  paretoTable,
  removedText,
  spreadText,
} from './pareto-rows.ts';
import type { TerminalOptions } from './terminal-report.ts';
import { type ScatterMark, textScatter } from './text-scatter.ts';

const PLOT_WIDTH = 60;
const PLOT_HEIGHT = 12;

/** Frontier table, plot and what was removed; `explain` lists every point. */
export function terminalPareto(result: ParetoResult, options: TerminalOptions): string {
  const width = Math.max(60, Math.min(options.width, PAGE_WIDTH));
  const palette = paletteOf(options.color);
  const { head, rows } = paretoTable(result, options.explain);
  const [header = '', ...body] = aligned([head, ...rows], 2);
  const line = (label: string, text: string | null): string[] =>
    text === null ? [] : labelled(label, text, width);
  const lines = [
    ...line('PARETO', axesText(result)),
    '',
    palette.dim(header),
    ...body,
    '',
    ...plotLines(result, Math.min(PLOT_WIDTH, width - 30)),
    '',
    ...line('Best', bestText(result)),
    ...line('Removed', removedText(result)),
    ...line('Draws', spreadText(result)),
    ...(options.files.length === 0 ? [] : line('Files', options.files.join('  '))),
  ];
  return lines.map((text) => `${text}\n`).join('');
}

/** The same as Markdown, with every point. */
export function markdownPareto(result: ParetoResult): string {
  const { head, rows } = paretoTable(result, true);
  const best = bestText(result);
  const spread = spreadText(result);
  return `${[
    '# Pareto frontier',
    '',
    `${literal(axesText(result))}.`,
    '',
    ...table(
      head,
      rows.map((row) => row.map((cell) => literal(cell))),
    ),
    '',
    '```text',
    ...plotLines(result, PLOT_WIDTH),
    '```',
    '',
    ...(best === null ? [] : [`- ${literal(best)}`]),
    `- ${literal(removedText(result))}`,
    ...(spread === null ? [] : [`- ${literal(spread)}`]),
  ].join('\n')}\n`;
}

function plotLines(result: ParetoResult, width: number): string[] {
  const { axes } = result;
  const marks = result.points.flatMap((point) => markOf(point, axes) ?? []);
  const plot = textScatter(marks, {
    width,
    height: PLOT_HEIGHT,
    xName: latencyName(axes),
    yName: gainName(axes),
    xText: durationFigure,
    yText: levelFigure,
  });
  return plot.length === 0 ? [] : [...plot, '● frontier  + dominated  · outside the objective'];
}

function markOf(point: ParetoPoint, axes: ParetoResult['axes']): ScatterMark | null {
  const y = axes.gain === 'outputTokens' ? point.outputTokensPerSecond : point.goodRps;
  const x = axes.latency === 'tpotP50' ? point.tpotP50Ns : point.ttftP95Ns;
  if (x === null || y === null || point.place === 'leftOut') return null;
  switch (point.place) {
    case 'frontier':
      return { x, y, glyph: '●', rank: 3 };
    case 'dominated':
      return { x, y, glyph: '+', rank: 2 };
    default:
      return { x, y, glyph: '·', rank: 1 };
  }
}
