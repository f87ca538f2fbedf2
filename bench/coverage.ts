/**
 * Do the stated intervals contain the truth as often as they say? Attainment, goodput and p95 of
 * windows of queues whose long-run values are known, by the thousand.
 */
import {
  batchMeans,
  effectiveQuantileInterval,
  quantile,
  queueDesignEffect,
  rateInterval,
  replicatedShareEstimate,
  shareEstimate,
  sortedCopy,
  type TimeBatch,
  wilsonInterval,
} from '../src/stats/index.ts';
import {
  batchesWithin,
  CAPACITY_RPS,
  drawWindow,
  ENGINE,
  inverseOf,
  MD1,
  md1WaitCdf,
  MM1,
  type QueueModel,
  type QueueWindow,
} from '../test/support/queue-window.ts';
import { print, printTable, printTitle, QUICK, type Row } from './support/report.ts';

const PARTS = [0.5, 0.85, 1, 1.05];
const SHORT_SECONDS = QUICK ? 60 : 240;
const LONG_SECONDS = QUICK ? 120 : 1_500;
const REPLICATIONS = 5;
const GROUPS = QUICK ? 4 : 500;
const TRUTH_SEEDS = QUICK ? 1 : 8;
const TRUTH_SECONDS = QUICK ? 2_000 : 200_000;

interface Interval {
  readonly low: number;
  readonly high: number;
}

interface Case {
  readonly estimate: number;
  readonly interval: Interval | null;
  readonly ifIndependent: Interval | null;
}

interface Truth {
  readonly attainment: number;
  readonly p95Seconds: number;
}

function truthOf(model: QueueModel, offeredRps: number): Truth {
  const attainment = model.attainment(offeredRps);
  if (attainment !== null) {
    const p95Seconds =
      model === MM1
        ? Math.log(20) / (10 - offeredRps)
        : 0.1 + inverseOf((t) => md1WaitCdf(t, offeredRps), 0.95);
    return { attainment, p95Seconds };
  }
  let good = 0;
  let offered = 0;
  let p95Sum = 0;
  for (let seed = 1; seed <= TRUTH_SEEDS; seed += 1) {
    const window = drawWindow(model, offeredRps, TRUTH_SECONDS, 100 + seed);
    const { batches, latencySeconds } = window;
    for (const batch of batches) {
      good += batch.good;
      offered += batch.offered;
    }
    p95Sum += quantile(sortedCopy(latencySeconds), 0.95, 'nearestRank');
  }
  return { attainment: good / offered, p95Seconds: p95Sum / TRUTH_SEEDS };
}

const totalOf = (batches: readonly TimeBatch[]) => ({
  good: batches.reduce((sum, { good }) => sum + good, 0),
  offered: batches.reduce((sum, { offered }) => sum + offered, 0),
});

function looksOf(window: QueueWindow): number {
  return queueDesignEffect(window.levels, totalOf(window.batches).offered);
}

function attainmentCase(window: QueueWindow): Case {
  const { good, offered } = totalOf(window.batches);
  const stated = shareEstimate(window.batches, looksOf(window));
  return {
    estimate: good / offered,
    interval: stated?.interval ?? null,
    ifIndependent: wilsonInterval(good, offered),
  };
}

function replicatedCase(windows: readonly QueueWindow[]): Case {
  const batches = windows.map((window) => window.batches);
  const { good, offered } = totalOf(batches.flat());
  const looks = windows.reduce((sum, window) => sum + looksOf(window), 0) / windows.length;
  return {
    estimate: good / offered,
    interval: replicatedShareEstimate(batches, looks)?.interval ?? null,
    ifIndependent: wilsonInterval(good, offered),
  };
}

function goodputCase(window: QueueWindow): Case {
  const seconds = window.seconds / window.batches.length;
  const batches = window.batches.map(({ good }) => ({ good, offered: seconds }));
  return {
    estimate: batchMeans(batches)?.ratio ?? 0,
    interval: rateInterval(batches),
    ifIndependent: null,
  };
}

function p95Case(window: QueueWindow): Case {
  const sorted = sortedCopy(window.latencySeconds);
  const estimate = quantile(sorted, 0.95, 'nearestRank');
  const share = shareEstimate(batchesWithin(window, estimate), looksOf(window));
  const effective = share?.dependence ?? null;
  return {
    estimate,
    interval: effective === null ? null : effectiveQuantileInterval(sorted, 0.95, effective),
    ifIndependent: effectiveQuantileInterval(sorted, 0.95, {
      effectiveN: sorted.length,
      degrees: 1e6,
      looks: sorted.length,
    }),
  };
}

/** Coverage, how often nothing was stated, and the width against one who knows the variance. */
function cellsOf(cases: readonly Case[], truth: number): Row {
  const mean = cases.reduce((sum, { estimate }) => sum + estimate, 0) / cases.length;
  const variance =
    cases.reduce((sum, { estimate }) => sum + (estimate - mean) ** 2, 0) / (cases.length - 1);
  const oracle = 1.96 * Math.sqrt(variance);
  const covers = ({ low, high }: Interval): boolean => low <= truth && truth <= high;
  const stated = cases.flatMap(({ interval }) => (interval === null ? [] : [interval]));
  const naive = cases.flatMap(({ ifIndependent }) =>
    ifIndependent === null ? [] : [ifIndependent],
  );
  const width = stated.reduce((sum, { low, high }) => sum + (high - low) / 2, 0) / stated.length;
  const percent = (count: number, of: number): string =>
    of === 0 ? 'not stated' : (100 * (count / of)).toFixed(1);
  return [
    percent(stated.filter(covers).length, stated.length),
    percent(cases.length - stated.length, cases.length),
    stated.length === 0 ? 'not stated' : (width / oracle).toFixed(2),
    naive.length === 0 ? 'not made' : percent(naive.filter(covers).length, naive.length),
  ];
}

function rowsOf(model: QueueModel, part: number, attainment: Row[], others: Row[]): void {
  const offeredRps = part * CAPACITY_RPS;
  const truth = truthOf(model, offeredRps);
  const draw = (count: number, seconds: number, from: number): QueueWindow[] =>
    Array.from({ length: count }, (_, index) =>
      drawWindow(model, offeredRps, seconds, from + 7_919 * index),
    );
  const short = draw(GROUPS * REPLICATIONS, SHORT_SECONDS, 240_017);
  const long = draw(GROUPS, LONG_SECONDS, 1_500_017);
  const groups = Array.from({ length: GROUPS }, (_, group) =>
    short.slice(group * REPLICATIONS, (group + 1) * REPLICATIONS),
  );
  const name = [model.name, `${part}×`];
  const share = `${(100 * truth.attainment).toFixed(2)} %`;
  const add = (rows: Row[], what: string, value: string, of: readonly Case[], at: number): void => {
    rows.push([...name, value, what, ...cellsOf(of, at)]);
  };
  const short1 = `${SHORT_SECONDS} s`;
  const long1 = `${LONG_SECONDS} s`;
  add(attainment, short1, share, short.map(attainmentCase), truth.attainment);
  add(attainment, long1, share, long.map(attainmentCase), truth.attainment);
  const several = `${REPLICATIONS} × ${short1}`;
  add(attainment, several, share, groups.map(replicatedCase), truth.attainment);
  const goodput = offeredRps * truth.attainment;
  const rate = `goodput ${goodput.toFixed(2)}/s`;
  add(others, short1, rate, short.map(goodputCase), goodput);
  add(others, long1, rate, long.map(goodputCase), goodput);
  if (part !== 0.85) return;
  const p95 = `p95 ${(1_000 * truth.p95Seconds).toFixed(0)} ms`;
  add(others, short1, p95, short.map(p95Case), truth.p95Seconds);
  add(others, long1, p95, long.map(p95Case), truth.p95Seconds);
}

printTitle('What the 95 % intervals cover', [
  `${GROUPS * REPLICATIONS} windows of ${SHORT_SECONDS} s and ${GROUPS} of ${LONG_SECONDS} s a row, after 30 s of warm-up. ` +
    `Truth: closed form (M/M/1, M/D/1 with Crommelin's sum); for the engine ${TRUTH_SEEDS} runs of ` +
    `${TRUTH_SECONDS.toLocaleString('en')} s. Half-width: mean of those stated, over 1.96 standard deviations of the estimate ` +
    'from window to window. Loads are parts of the rate that attains 95 %.',
]);
const attainmentRows: Row[] = [];
const otherRows: Row[] = [];
for (const model of [MM1, MD1, ENGINE]) {
  for (const part of PARTS) rowsOf(model, part, attainmentRows, otherRows);
}
const head = [
  'model',
  'load',
  'truth',
  'from',
  'covered %',
  'not enough data %',
  'half-width ÷ oracle',
  'if independent covers %',
];
print(['Attainment; "if independent" is Wilson on the raw counts.']);
printTable(head, attainmentRows);
print(['Goodput, and p95 (of stay in the queues, of TTFT in the engine).']);
printTable(head, otherRows);
