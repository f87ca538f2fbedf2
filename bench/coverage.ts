/**
 * Do the stated intervals contain the truth as often as they say? Attainment, goodput and quantiles
 * of windows of queues whose long-run values are known, by the thousand; and how often a growing
 * backlog is found. `--seed N` draws other windows, `--groups N` so many in each row, `--only NAME` makes one
 * part (`intervals`, `untuned`, `symmetric`, `gaps` or `backlog`), `--model NAME` one model of it.
 */
import { parseArgs } from 'node:util';
import { quantile, sortedCopy } from '../src/stats/index.ts';
import {
  CAPACITY_RPS,
  drawWindow,
  ENGINE,
  MD1,
  MM1,
  type QueueModel,
  type QueueWindow,
} from '../test/support/queue-window.ts';
import {
  BURSTY_ENGINE,
  CLOSED_IN_FLIGHT,
  CLOSED_USERS,
  MG1,
  MM4,
} from '../test/support/untuned-queues.ts';
import { backlogRows, BACKLOG_HEAD } from './support/backlog-detection.ts';
import { gapRows } from './support/gap-coverage.ts';
import { print, printTable, printTitle, QUICK, type Row } from './support/report.ts';
import {
  attainmentCase,
  type Case,
  cellsOf,
  COVERAGE_HEAD,
  goodputCase,
  p95Case,
  symmetricCase,
} from './support/window-cases.ts';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    groups: { type: 'string', default: '500' },
    only: { type: 'string' },
    model: { type: 'string' },
    quick: { type: 'boolean' },
  },
});
/** Far enough apart that no two parts draw the same window. */
const SEED = 1_000_003 * Number(options.seed);
const SHORT_SECONDS = QUICK ? 60 : 240;
const LONG_SECONDS = QUICK ? 120 : 1_500;
const REPLICATIONS = 5;
const GROUPS = QUICK ? 4 : Number(options.groups);
const TRUTH_SEEDS = QUICK ? 1 : 8;
const TRUTH_SECONDS = QUICK ? 2_000 : 100_000;

interface Truth {
  readonly attainment: number;
  readonly p95Seconds: number;
}

function truthOf(model: QueueModel, offeredRps: number): Truth {
  const attainment = model.attainment(offeredRps);
  const p95Seconds = model.p95Seconds?.(offeredRps);
  if (attainment !== null && p95Seconds !== undefined) return { attainment, p95Seconds };
  let good = 0;
  let offered = 0;
  let p95Sum = 0;
  for (let seed = 1; seed <= TRUTH_SEEDS; seed += 1) {
    const { batches, latencySeconds } = drawWindow(model, offeredRps, TRUTH_SECONDS, 100 + seed);
    for (const batch of batches) {
      good += batch.good;
      offered += batch.offered;
    }
    p95Sum += quantile(sortedCopy(latencySeconds), 0.95, 'nearestRank');
  }
  return { attainment: good / offered, p95Seconds: p95Sum / TRUTH_SEEDS };
}

interface Drawn {
  readonly short: readonly QueueWindow[];
  readonly long: readonly QueueWindow[];
  readonly groups: readonly (readonly QueueWindow[])[];
}

function drawAll(model: QueueModel, offeredRps: number): Drawn {
  const draw = (count: number, seconds: number, from: number): QueueWindow[] =>
    Array.from({ length: count }, (_, index) =>
      drawWindow(model, offeredRps, seconds, SEED + from + 7_919 * index),
    );
  const short = draw(GROUPS * REPLICATIONS, SHORT_SECONDS, 240_017);
  const groups = Array.from({ length: GROUPS }, (_, group) =>
    short.slice(group * REPLICATIONS, (group + 1) * REPLICATIONS),
  );
  return { short, long: draw(GROUPS, LONG_SECONDS, 1_500_017), groups };
}

interface Tables {
  readonly attainment: Row[];
  readonly others: Row[];
}

/** Rows of one model at one load; p95 is asked where `hasP95`. */
function addRows(model: QueueModel, part: number, hasP95: boolean, tables: Tables): void {
  const offeredRps = part * CAPACITY_RPS;
  const truth = truthOf(model, offeredRps);
  const { short, long, groups } = drawAll(model, offeredRps);
  const isClosed = model.throughputRps !== undefined;
  const name = [model.name, isClosed ? 'closed' : `${part}×`];
  const from = [`${SHORT_SECONDS} s`, `${LONG_SECONDS} s`, `${REPLICATIONS} × ${SHORT_SECONDS} s`];
  const add = (rows: Row[], value: string, of: readonly (readonly Case[])[], at: number): void => {
    for (const [index, cases] of of.entries()) {
      rows.push([...name, value, from[index] as string, ...cellsOf(cases, at)]);
    }
  };
  const alone = (window: QueueWindow): readonly QueueWindow[] => [window];
  const three = (caseOf: (windows: readonly QueueWindow[]) => Case): Case[][] => [
    short.map((window) => caseOf(alone(window))),
    long.map((window) => caseOf(alone(window))),
    groups.map(caseOf),
  ];
  const share = `${(100 * truth.attainment).toFixed(2)} %`;
  add(tables.attainment, share, three(attainmentCase), truth.attainment);
  const goodput = (model.throughputRps?.() ?? offeredRps) * truth.attainment;
  const rate = `goodput ${goodput.toFixed(2)}/s`;
  add(tables.others, rate, [short.map(goodputCase), long.map(goodputCase)], goodput);
  if (!hasP95) return;
  const p95 = `p95 ${(1_000 * truth.p95Seconds).toFixed(0)} ms`;
  add(tables.others, p95, three(p95Case), truth.p95Seconds);
}

function printIntervals(of: readonly (readonly [QueueModel, readonly number[]])[]): void {
  const tables: Tables = { attainment: [], others: [] };
  for (const [model, parts] of of) {
    if (options.model !== undefined && options.model !== model.name) continue;
    for (const part of parts) addRows(model, part, part === 0.85 || parts.length < 4, tables);
  }
  const head = ['model', 'load', 'truth', 'from', ...COVERAGE_HEAD];
  print(['Attainment; "if independent" is Wilson on the raw counts.']);
  printTable(head, tables.attainment);
  print(['Goodput, and p95 (of stay in the queues, of TTFT in the engine).']);
  printTable(head, tables.others);
}

function symmetricRows(): Row[] {
  const offeredRps = 0.5 * CAPACITY_RPS;
  return [MM1, MD1, ENGINE].flatMap((model) => {
    const { short, long } = drawAll(model, offeredRps);
    const truth = truthOf(model, offeredRps).attainment;
    return [short, long].map((windows) => [
      model.name,
      `${windows[0]?.seconds ?? 0} s`,
      cellsOf(windows.map(symmetricCase), truth)[0] as string,
    ]);
  });
}

const PARTS: Readonly<Record<string, () => void>> = {
  intervals() {
    print(['### Models on which constants were chosen, by other seeds']);
    printIntervals([MM1, MD1, ENGINE].map((model) => [model, [0.5, 0.85, 1, 1.05]]));
  },
  untuned() {
    print(['### Models on which nothing was chosen']);
    const open = [MM4, MG1, BURSTY_ENGINE].map((model) => [model, [0.85, 1]] as const);
    const closed = [CLOSED_IN_FLIGHT, CLOSED_USERS].map((model) => [model, [1]] as const);
    printIntervals([...open, ...closed]);
  },
  symmetric() {
    print(['### Attainment at half of capacity by a symmetric t interval over batches']);
    printTable(['model', 'from', 'covered %'], symmetricRows());
  },
  gaps() {
    print(['### Pooled gaps of the engine']);
    printTable(['load', 'truth', 'from', ...COVERAGE_HEAD], gapRows(SEED, GROUPS, QUICK));
  },
  backlog() {
    print(['### Labelled as growing, % of windows of M/M/1 that start 30 s after an empty system']);
    printTable(BACKLOG_HEAD, backlogRows(SEED, QUICK));
  },
};

printTitle('What the 95 % intervals cover', [
  `${GROUPS * REPLICATIONS} windows of ${SHORT_SECONDS} s and ${GROUPS} of ${LONG_SECONDS} s a row, after 30 s of warm-up; ` +
    `seed ${options.seed}. Truth: closed form (M/M/1, M/M/4, closed loops, M/D/1 with Crommelin's sum), else ` +
    `${TRUTH_SEEDS} runs of ${TRUTH_SECONDS.toLocaleString('en')} s. Half-width: mean of those stated, over 1.96 standard ` +
    'deviations of the estimate from window to window. Loads are parts of 6.97/s.',
]);
for (const [name, make] of Object.entries(PARTS)) {
  if (options.only === undefined || options.only === name) make();
}
