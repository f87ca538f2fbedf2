/** The table of the document's program, digit for digit, with our columns after its seven. */
import { tokenCountText } from '../base/index.ts';
import type { SweepFlag, SweepOptions, SweepRow } from './goodput-sweep.ts';
import { pythonFixed, pythonGeneral, pythonPercent, pythonThousands } from './python-format.ts';
import type { LoadCounts, SweepCapacity } from './sweep-capacity.ts';
import type { AttainmentCounts } from './sweep-tally.ts';

interface Column {
  readonly head: string;
  readonly width: number;
  readonly cell: (row: SweepRow) => string;
}

const NOTHING = '–';

/** The program's seven columns. */
const DOCUMENT_COLUMNS: readonly Column[] = [
  { head: 'offered', width: 8, cell: (row) => `${pythonGeneral(row.offeredRps).padStart(6)} /s` },
  { head: 'out tok/s', width: 10, cell: (row) => pythonThousands(row.outputTps) },
  { head: 'TTFT p95', width: 10, cell: (row) => seconds(row.ttftP95Seconds) },
  { head: 'TPOT p95', width: 10, cell: (row) => milliseconds(row.tpotP95Seconds, 1) },
  {
    head: 'p95s pass',
    width: 11,
    cell: ({ p95sPass }) => (p95sPass === null ? NOTHING : p95sPass ? 'yes' : 'no'),
  },
  {
    head: 'attained',
    width: 10,
    cell: ({ attainedShare }) => (attainedShare === null ? NOTHING : pythonPercent(attainedShare)),
  },
  { head: 'goodput', width: 9, cell: (row) => `${pythonFixed(row.goodputRps, 1)}/s` },
];

const FLAG_WORDS: Readonly<Record<SweepFlag, string>> = {
  growingBacklog: 'growing backlog',
  noInterval: 'no interval',
};

/** The line above the document's table. */
export function sweepObjectiveText({ objective }: SweepOptions): string {
  const { ttftSeconds, tpotSeconds } = objective;
  const ttft = pythonFixed(ttftSeconds, 1);
  return `SLO per request: TTFT <= ${ttft} s and TPOT <= ${pythonFixed(tpotSeconds * 1e3, 0)} ms`;
}

/** Header and one line a row. */
export function sweepTable(rows: readonly SweepRow[], options: SweepOptions): string[] {
  const columns = [...DOCUMENT_COLUMNS, ...splitColumns(options), ...gapColumns(options)];
  const header = columns.map(({ head, width }) => head.padStart(width)).join('');
  return [
    // The program's first cell is one wider than its head.
    `${header}   flags`,
    ...rows.map((row) => {
      const cells = columns.map(({ cell, width }) => cell(row).padStart(width)).join('');
      return `${cells}  ${row.flags.map((flag) => FLAG_WORDS[flag]).join(', ')}`;
    }),
  ];
}

function splitColumns({ splitTokens }: SweepOptions): Column[] {
  if (splitTokens === null) return [];
  const edge = tokenCountText(splitTokens);
  return [
    { head: `< ${edge}`, width: 9, cell: ({ split }) => bucketShare(split?.below ?? null) },
    { head: `>= ${edge}`, width: 9, cell: ({ split }) => bucketShare(split?.from ?? null) },
  ];
}

function gapColumns({ gaps }: SweepOptions): Column[] {
  if (!gaps) return [];
  return [
    { head: 'ITL p50', width: 11, cell: ({ itl }) => milliseconds(itl?.p50Seconds ?? null, 3) },
    { head: 'ITL p99', width: 11, cell: ({ itl }) => milliseconds(itl?.p99Seconds ?? null, 3) },
  ];
}

function bucketShare(counts: AttainmentCounts | null): string {
  if (counts === null || counts.requests === 0) return NOTHING;
  return `${pythonFixed((counts.good / counts.requests) * 100, 2)}%`;
}

function seconds(value: number | null): string {
  return value === null ? NOTHING : `${pythonFixed(value, 2)}s`;
}

function milliseconds(value: number | null, digits: number): string {
  return value === null ? NOTHING : `${pythonFixed(value * 1e3, digits)}ms`;
}

/** The loads around the capacity, and what stands in the way of more. */
export function sweepCapacityText(found: SweepCapacity): string[] {
  const { capacity, firstBeyond, binds, targetShare, fullStepSeconds } = found;
  const rate = (load: LoadCounts): string => `${pythonGeneral(load.offeredRps)} /s`;
  const line = (label: string, load: LoadCounts | null): string[] => {
    if (load === null || load.counts.requests === 0) return [];
    const { requests, good, ttftMisses, tpotMisses } = load.counts;
    const part = (count: number): string => pythonPercent(count / requests);
    return [
      `${label.padEnd(10)}${rate(load).padStart(9)}${part(good).padStart(10)}` +
        `${part(ttftMisses).padStart(13)}${part(tpotMisses).padStart(13)}`,
    ];
  };
  const target = `${pythonGeneral(targetShare * 100)} % attained`;
  return [
    capacity === null
      ? `No rate tried reaches ${target}.`
      : `Largest of ${found.loads.length} rates with ${target}: ${rate(capacity)}.`,
    '',
    `${' '.repeat(10)}${'offered'.padStart(9)}${'attained'.padStart(10)}` +
      `${'TTFT misses'.padStart(13)}${'TPOT misses'.padStart(13)}`,
    ...line('capacity', capacity),
    ...line('next', firstBeyond),
    '',
    firstBeyond === null
      ? 'Binds: nothing tried fails; try higher rates.'
      : `Binds: ${binds === null ? 'TTFT and TPOT alike' : binds.toUpperCase()}.`,
    `TPOT ceiling: ${milliseconds(fullStepSeconds, 3)}, a step with the whole token budget.`,
    'no interval: one draw a rate; the largest rate that passes is a lucky one.',
  ];
}
