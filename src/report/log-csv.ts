/** The judgement of a log for a spreadsheet. */
import { msFromNs } from '../base/index.ts';
import { isoInstant, type LogTable, type LogWindow, type PanelFigure } from '../logs/index.ts';
import type { LogJudgement } from './log-report.ts';

type Cell = string | number | boolean;

/**
 * One line a window and stratum, or a stratum and the total where nothing is cut by time. `view` says
 * what is counted: `try`, the rows as they are; `request`, once more with tries joined, where they can
 * be. The two are of the same traffic: never add them up.
 */
export function csvLogReport({ table, requests }: LogJudgement): string {
  const head = ['view', 'from', 'to', ...table.by.keys, ...COLUMNS];
  const rows = [
    ...rowsOf('try', table),
    ...(requests === null ? [] : rowsOf('request', requests.table)),
  ];
  return [head, ...rows].map((row) => `${row.map(csvCell).join(',')}\n`).join('');
}

const COLUMNS = [
  'offered',
  'good',
  'bad',
  'failed',
  'incorrect',
  'unjudged',
  'excluded',
  'dropped',
  'share',
  'low',
  'high',
  'effective_n',
  'ttft_p95_ms',
  'ttft_passes',
  'tpot_p95_ms',
  'tpot_passes',
  'disagreement',
];

function rowsOf(view: 'try' | 'request', table: LogTable): Cell[][] {
  const { windows, strata, total, by } = table;
  return (windows.length > 0 ? windows : [...strata, total]).map((one) => [
    view,
    one.fromUs === null ? '' : isoInstant(one.fromUs),
    one.toUs === null ? '' : isoInstant(one.toUs),
    ...by.keys.map((key) => one.stratum[key] ?? ''),
    ...cellsOf(one),
  ]);
}

/** Under {@link COLUMNS}. */
function cellsOf(one: LogWindow): Cell[] {
  const { offered, good, unjudged, share, interval } = one.attainment;
  return [
    offered,
    good,
    offered - good - unjudged,
    one.failed,
    one.incorrect,
    unjudged,
    one.excluded,
    one.dropped,
    share ?? '',
    interval?.low ?? '',
    interval?.high ?? '',
    interval === null ? '' : Math.floor(interval.effectiveN),
    msOf(one.ttft),
    one.ttft.passes ?? '',
    msOf(one.tpot),
    one.tpot.passes ?? '',
    one.disagreement ?? '',
  ];
}

function msOf({ p95Ns }: PanelFigure): string {
  return p95Ns === null ? '' : String(Number(msFromNs(p95Ns).toPrecision(4)));
}

/** Labels come from outside: quotes where needed, and no formula for a spreadsheet to run. */
function csvCell(value: Cell): string {
  const text = String(value);
  const safe = typeof value === 'string' && /^[=+@-]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
