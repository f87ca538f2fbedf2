/**
 * How often does `goodput compare` cry wolf, and what does it find? On the simulated replica of the
 * mission document, whose machine has moods: step times jitter from window to window and wander.
 */
import { randomStream } from '../src/base/index.ts';
import {
  comparePairs,
  type ComparedPair,
  compareWithBaseline,
  DEFAULT_MINIMUM_EFFECTS,
  isShown,
  type MetricComparison,
  noiseFloorOf,
  type PairsOptions,
  serviceVerdict,
  type WindowFigures,
} from '../src/comparison/index.ts';
import { DEFAULT_PAIRS, sidesOfPair } from '../src/experiment/index.ts';
import { coverage, DIFFERENCES } from './support/interval-coverage.ts';
import { machine, type Moods, normalDraw, simulatedWindow } from './support/noisy-windows.ts';
import { median, print, printTable, printTitle, QUICK, type Row } from './support/report.ts';

const COMPARISONS = QUICK ? 4 : 200;
const NIGHTS = QUICK ? 8 : 200;
const COVERAGE_TRIALS = QUICK ? 20 : 1_000;
const WINDOW_SECONDS = QUICK ? 20 : 60;
const NIGHT_SECONDS = QUICK ? 20 : 300;
const BASELINE_RUNS = QUICK ? 6 : 14;
/** Step times of a shared machine: 0.5 % from window to window, and a walk of 0.3 % a window. */
const MOODS: Moods = { jitter: 0.005, walk: 0.003 };
/** From night to night. */
const NIGHT_DEVIATION = 0.01;

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const share = <T>(of: readonly T[], holds: (each: T) => boolean): number =>
  of.filter(holds).length / of.length;

interface ComparisonSettings {
  readonly offeredRps: number;
  readonly pairs: number;
  /** On every step of side B. */
  readonly factor: number;
  readonly order: 'interleaved' | 'one after the other';
}

/** The pairs of one comparison, each window measured when its turn comes. */
function measured(settings: ComparisonSettings, seed: number): ComparedPair[] {
  const { offeredRps, pairs, factor, order } = settings;
  const mood = machine(MOODS, randomStream(seed, 'moods'));
  const windows: Record<'a' | 'b', WindowFigures[]> = { a: [], b: [] };
  const measure = (side: 'a' | 'b', pair: number): void => {
    windows[side][pair] = simulatedWindow({
      offeredRps,
      durationSeconds: WINDOW_SECONDS,
      seed: 1_000 * seed + pair,
      factor: mood() * (side === 'b' ? factor : 1),
    });
  };
  const all = Array.from({ length: pairs }, (_, pair) => pair);
  if (order === 'interleaved') {
    for (const pair of all) for (const side of sidesOfPair(pair)) measure(side, pair);
  } else {
    for (const side of ['a', 'b'] as const) for (const pair of all) measure(side, pair);
  }
  return all.map((pair) => ({
    a: windows.a[pair] as WindowFigures,
    b: windows.b[pair] as WindowFigures,
  }));
}

const optionsOf = (seed: number): PairsOptions => ({
  pairsPerUnit: 1,
  seed,
  effects: DEFAULT_MINIMUM_EFFECTS,
  floor: null,
});

function comparisons(settings: ComparisonSettings, from = 0): MetricComparison[][] {
  return Array.from({ length: COMPARISONS }, (_, at) => {
    const seed = from + at;
    return [...comparePairs(measured(settings, seed), optionsOf(seed)).metrics];
  });
}

function coverageRows(): Row[] {
  const random = randomStream(1, 'coverage');
  return [6, 8, 12, 20].flatMap((pairs) =>
    DIFFERENCES.map(({ name, draw }): Row => {
      const held = coverage(draw, pairs, { trials: COVERAGE_TRIALS, random });
      const { percentile, bca, student, expanded } = held;
      return [pairs, name, ...[percentile, bca, student, expanded].map(percent)];
    }),
  );
}

/** Two equal sides: whatever is shown is a false alarm. */
function falseAlarmRow(settings: ComparisonSettings): Row {
  const results = comparisons(settings);
  return [
    settings.order,
    `${settings.offeredRps}/s`,
    settings.pairs,
    percent(share(results, (metrics) => metrics.some(isShown))),
    percent(share(results, (metrics) => serviceVerdict(metrics, true) === 'worse')),
  ];
}

/** B is slower by `factor`: what is found, beside what was said would be. */
function powerRow(settings: ComparisonSettings): Row {
  const results = comparisons(settings, 5_000);
  const named = (name: string): MetricComparison[] =>
    results.map((metrics) => metrics.find(({ metric }) => metric === name) as MetricComparison);
  const tpot = named('p50(tpot)');
  const isWorse = ({ verdict }: MetricComparison): boolean => verdict === 'worse';
  return [
    `${settings.offeredRps}/s`,
    settings.pairs,
    percent(settings.factor - 1),
    percent(share(results, (metrics) => serviceVerdict(metrics, true) === 'worse')),
    percent(share(tpot, isWorse)),
    percent(share(named('p95(ttft)'), isWorse)),
    percent(median(tpot.map(({ detectable }) => detectable ?? 1))),
    percent(share(tpot, isShown)),
    percent(median(tpot.map(({ change }) => change ?? 0))),
  ];
}

/** With the floor of one A/A comparison, as a bench keeps it. */
function withFloorRow(settings: ComparisonSettings): Row {
  const equal = comparePairs(measured({ ...settings, factor: 1 }, 9_999), optionsOf(1)).metrics;
  const floor = noiseFloorOf('bench', equal);
  const results = Array.from({ length: COMPARISONS }, (_, at) => {
    const options = { ...optionsOf(at), floor };
    return comparePairs(measured(settings, 7_000 + at), options).metrics;
  });
  const found = share(results, (metrics) => serviceVerdict(metrics, true) === 'worse');
  return [`${settings.offeredRps}/s`, settings.pairs, percent(settings.factor - 1), percent(found)];
}

function night(offeredRps: number, factor: number, random: () => number): WindowFigures {
  const mood = Math.exp(NIGHT_DEVIATION * normalDraw(random));
  const settings = { offeredRps, durationSeconds: NIGHT_SECONDS, seed: 42 };
  return simulatedWindow({ ...settings, factor: mood * factor });
}

function nightVerdict(tonight: WindowFigures, earlier: readonly WindowFigures[]): string {
  return serviceVerdict(compareWithBaseline(tonight, earlier, DEFAULT_MINIMUM_EFFECTS), true);
}

/** Each night against those before it; then each night made slower, which must be found. */
function nightlyRow(offeredRps: number): Row {
  const random = randomStream(8, `nights/${offeredRps}`);
  const nights = Array.from({ length: NIGHTS + BASELINE_RUNS }, () => night(offeredRps, 1, random));
  const judged = nights.slice(BASELINE_RUNS).map((tonight, at) => ({
    tonight,
    earlier: nights.slice(at, at + BASELINE_RUNS),
  }));
  const alarms = share(
    judged,
    ({ tonight, earlier }) => nightVerdict(tonight, earlier) === 'worse',
  );
  const found = [1.05, 1.1].map((factor) =>
    share(
      judged.slice(0, QUICK ? 4 : 100),
      ({ earlier }) => nightVerdict(night(offeredRps, factor, random), earlier) === 'worse',
    ),
  );
  return [`${offeredRps}/s`, BASELINE_RUNS, NIGHTS, percent(alarms), ...found.map(percent)];
}

printTitle('Comparing two', [
  'Intervals: nominal 95 % over pairs whose sides are equal; the share that holds 0. Comparisons: ' +
    `windows of ${WINDOW_SECONDS} s of the goodput sweep's traffic, ${COMPARISONS} comparisons a row; steps ` +
    `jitter by ${percent(MOODS.jitter)} from window to window and wander by ${percent(MOODS.walk)} a window. ` +
    `Nights: one run of ${NIGHT_SECONDS} s each, steps vary by ${percent(NIGHT_DEVIATION)} from night to night.`,
]);
printTable(
  ['pairs', 'differences', 'percentile', 'BCa', 'Student', 'expanded percentile (used)'],
  coverageRows(),
);
print(['Two equal sides. "Any metric shown" is the false alarm of the test, at level 5 %.']);
const equal = { factor: 1, pairs: DEFAULT_PAIRS } as const;
printTable(
  ['order', 'offered', 'pairs', 'any metric shown', 'verdict worse'],
  [
    falseAlarmRow({ ...equal, offeredRps: 4, order: 'interleaved' }),
    falseAlarmRow({ ...equal, offeredRps: 7, order: 'interleaved' }),
    falseAlarmRow({ ...equal, offeredRps: 4, pairs: 8, order: 'interleaved' }),
    falseAlarmRow({ ...equal, offeredRps: 4, order: 'one after the other' }),
  ],
);
print(['B slower. "Finds" is the detectable difference stated, at a power of 80 %, median.']);
const slower = { order: 'interleaved', pairs: DEFAULT_PAIRS } as const;
printTable(
  [
    'offered',
    'pairs',
    'steps slower',
    'verdict worse',
    'p50(tpot) worse',
    'p95(ttft) worse',
    'p50(tpot) finds',
    'p50(tpot) shown',
    'p50(tpot) change',
  ],
  [
    powerRow({ ...slower, offeredRps: 4, factor: 1.03 }),
    powerRow({ ...slower, offeredRps: 4, factor: 1.03, pairs: 8 }),
    powerRow({ ...slower, offeredRps: 7, factor: 1.03 }),
    powerRow({ ...slower, offeredRps: 4, factor: 1.008 }),
  ],
);
print(['The same with the floor of one A/A comparison.']);
printTable(
  ['offered', 'pairs', 'steps slower', 'verdict worse'],
  [
    withFloorRow({ ...slower, offeredRps: 4, factor: 1.03 }),
    withFloorRow({ ...slower, offeredRps: 4, factor: 1 }),
  ],
);
print(['Tonight against the last good runs.']);
printTable(
  ['offered', 'earlier runs', 'nights', 'false alarms', '5 % slower found', '10 % slower found'],
  [nightlyRow(4), nightlyRow(7)],
);
