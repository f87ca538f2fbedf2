/**
 * How near does a capacity search come to the truth, how often does it claim too much, and do its
 * intervals hold? Many independent searches on an engine whose truth long runs give.
 */
import { type EffortName, EFFORTS } from '../src/planner/index.ts';
import {
  bisectReference,
  mean,
  referenceTruth,
  type ReferenceSearch,
  searchReference,
} from './support/reference-search.ts';
import { print, printTable, printTitle, QUICK, type Row } from './support/report.ts';

const SEARCHES: Readonly<Record<EffortName, number>> = QUICK
  ? { smoke: 6, standard: 6, signoff: 2 }
  : { smoke: 400, standard: 400, signoff: 200 };
const TRUTH = QUICK
  ? { rates: [6.8, 6.9, 7, 7.1], runs: 1, seconds: 4_000 }
  : { rates: [6.8, 6.9, 7, 7.1], runs: 8, seconds: 40_000 };

function percent(share: number, digits = 1): string {
  return `${(100 * share).toFixed(digits)} %`;
}

function rootMeanSquare(values: readonly number[]): number {
  return Math.sqrt(mean(values.map((value) => value * value)));
}

/** Cells about the errors of estimates, relative to the truth. */
function errorCells(errors: readonly number[]): Row {
  const over = errors.filter((error) => error > 0.03).length / errors.length;
  return [percent(rootMeanSquare(errors), 2), percent(mean(errors), 2), percent(over)];
}

function intervalCells(searches: readonly ReferenceSearch[], truthRps: number): Row {
  const stated = searches.flatMap(({ estimate: { interval, plannableRps } }) =>
    interval === null ? [] : [{ ...interval, plannableRps }],
  );
  const share = stated.length / searches.length;
  if (stated.length === 0) return [percent(share), 'not stated', 'not stated', 'not stated'];
  const covered = stated.filter(({ lowRps, highRps }) => lowRps <= truthRps && truthRps <= highRps);
  const below = stated.filter(({ plannableRps }) => (plannableRps ?? Infinity) <= truthRps);
  const half = mean(stated.map(({ lowRps, highRps }) => (highRps - lowRps) / 2 / truthRps));
  return [
    percent(share),
    percent(covered.length / stated.length),
    percent(below.length / stated.length),
    `±${percent(half)}`,
  ];
}

function effortRow(name: EffortName, truthRps: number): Row {
  const searches = Array.from({ length: SEARCHES[name] }, (_, at) =>
    searchReference(EFFORTS[name], at + 1),
  );
  const errors = searches.flatMap(({ estimate }) =>
    estimate.rps === null ? [] : [estimate.rps / truthRps - 1],
  );
  const windows = mean(searches.map((search) => search.windows.length)).toFixed(1);
  const minutes = (mean(searches.map((search) => search.spentSeconds)) / 60).toFixed(1);
  const plan = `${EFFORTS[name].windowSeconds} s`;
  return [
    name,
    searches.length,
    plan,
    windows,
    minutes,
    ...errorCells(errors),
    ...intervalCells(searches, truthRps),
  ];
}

function bisectionRow(truthRps: number): Row {
  const effort = EFFORTS.standard;
  const found = Array.from({ length: SEARCHES.standard }, (_, at) =>
    bisectReference(effort, at + 1),
  );
  const errors = found.map(({ rps }) => rps / truthRps - 1);
  const windows = found[0]?.windows ?? 0;
  return [
    'bisection',
    found.length,
    `${effort.windowSeconds} s`,
    windows,
    ((windows * effort.windowSeconds) / 60).toFixed(1),
    ...errorCells(errors),
    'never',
    'not stated',
    'not stated',
    'not stated',
  ];
}

function printBenchmark(): void {
  const truth = referenceTruth(TRUTH);
  printTitle('Capacity search against the truth', [
    'The engine of the preset goodput-sweep without its leak, TTFT ≤ 1 s and TPOT ≤ 15 ms, target 95 %. ' +
      `Truth: ${TRUTH.runs} runs of ${TRUTH.seconds.toLocaleString('en')} s at each of ${TRUTH.rates.join(', ')}/s ` +
      `(${truth.shares.map(([, share]) => percent(share, 2)).join(', ')} good) put it at ${truth.rps.toFixed(3)}/s.`,
    'Every search starts at 1/s knowing nothing, with requests of its own. Bisection halves 4…12/s by ' +
      'single windows of the same length and as much time in all.',
  ]);
  printTable(
    [
      'search',
      'searches',
      'window',
      'windows',
      'judged min',
      'RMSE',
      'bias',
      '> 3 % too high',
      'interval stated',
      '95 % interval holds',
      'lower bound holds',
      'half width',
    ],
    [
      effortRow('smoke', truth.rps),
      effortRow('standard', truth.rps),
      effortRow('signoff', truth.rps),
      bisectionRow(truth.rps),
    ],
  );
  print([
    'RMSE, bias, "too high" and half width are shares of the truth; a bound or interval holds when the truth ' +
      'is on its right side, as a share of those stated.',
  ]);
}

printBenchmark();
