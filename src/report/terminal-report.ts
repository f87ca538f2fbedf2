/** The summary on a terminal: the verdict first, at most twenty lines for one load point. */
import type { Summary } from '../summary/index.ts';
import type { ServerPoint } from '../telemetry/index.ts';
import { labelled, PAGE_WIDTH } from './layout.ts';
import { paletteOf } from './palette.ts';
import { explanation } from './terminal-explain.ts';
import type { TerminalPage } from './terminal-page.ts';
import { pointLines } from './terminal-point.ts';
import { sweepLines } from './terminal-sweep.ts';

export interface TerminalOptions {
  /** Columns of the terminal; more than 100 are not used. Tables need 80. */
  readonly width: number;
  readonly color: boolean;
  /** Adds every window, stratum and definition. */
  readonly explain: boolean;
  /** Files the result is in, as the reader can open them. */
  readonly files: readonly string[];
  /** What the servers said of each load point, for `explain`; left out: nothing. */
  readonly servers?: readonly ServerPoint[];
}

/** Lines a default report of one load point may have. */
const LINE_LIMIT = 20;

/** The report, lines ended by `\n`. One point in full, several as a table with a row each. */
export function terminalReport(summary: Summary, options: TerminalOptions): string {
  const page: TerminalPage = {
    summary,
    servers: options.servers ?? [],
    width: Math.max(60, Math.min(options.width, PAGE_WIDTH)),
    palette: paletteOf(options.color),
    explain: options.explain,
    tight: false,
  };
  const [point] = summary.points;
  const files =
    options.files.length === 0 ? [] : labelled('Files', options.files.join('  '), page.width);
  const body =
    point === undefined
      ? ['NO DATA  the run has no load point']
      : summary.points.length === 1
        ? pointLines(page, point, LINE_LIMIT - files.length)
        : sweepLines(page);
  return [...body, ...files, ...(options.explain ? explanation(page) : [])]
    .map((line) => `${line}\n`)
    .join('');
}
