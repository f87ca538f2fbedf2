/** What one window, or several, of a queue let one state: estimate and interval of each figure. */
import {
  batchMeans,
  effectiveQuantileInterval,
  quantile,
  queueDesignEffect,
  rateInterval,
  replicatedShareEstimate,
  shareEstimate,
  type ShareEstimate,
  sortedCopy,
  studentTQuantile,
  type TimeBatch,
  wilsonInterval,
} from '../../src/stats/index.ts';
import { batchesWithin, type QueueWindow } from '../../test/support/queue-window.ts';
import type { Row } from './report.ts';

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface Case {
  readonly estimate: number;
  readonly interval: Interval | null;
  readonly ifIndependent: Interval | null;
}

function totalOf(batches: readonly TimeBatch[]): TimeBatch {
  return {
    good: batches.reduce((sum, { good }) => sum + good, 0),
    offered: batches.reduce((sum, { offered }) => sum + offered, 0),
  };
}

function requestsPerLook(windows: readonly QueueWindow[]): number {
  const each = windows.map(({ levels, batches }) =>
    queueDesignEffect(levels, totalOf(batches).offered),
  );
  return each.reduce((sum, effect) => sum + effect, 0) / windows.length;
}

/** Of one window by its batches, of several by what differs between them. */
function estimateOf(
  windows: readonly QueueWindow[],
  batchesOf: (window: QueueWindow) => readonly TimeBatch[],
): ShareEstimate | null {
  const each = windows.map(batchesOf);
  return windows.length === 1
    ? shareEstimate(each.flat(), requestsPerLook(windows))
    : replicatedShareEstimate(each, requestsPerLook(windows));
}

export function attainmentCase(windows: readonly QueueWindow[]): Case {
  const { good, offered } = totalOf(windows.flatMap(({ batches }) => batches));
  return {
    estimate: good / offered,
    interval: estimateOf(windows, ({ batches }) => batches)?.interval ?? null,
    ifIndependent: wilsonInterval(good, offered),
  };
}

export function goodputCase(window: QueueWindow): Case {
  const seconds = window.seconds / window.batches.length;
  const batches = window.batches.map(({ good }) => ({ good, offered: seconds }));
  return {
    estimate: batchMeans(batches)?.ratio ?? 0,
    interval: rateInterval(batches),
    ifIndependent: null,
  };
}

export function p95Case(windows: readonly QueueWindow[]): Case {
  const sorted = sortedCopy(windows.flatMap(({ latencySeconds }) => latencySeconds));
  const estimate = quantile(sorted, 0.95, 'nearestRank');
  const share = estimateOf(windows, (window) => batchesWithin(window, estimate));
  const n = sorted.length;
  const independent = { effectiveN: n, degrees: 1e6, looks: n };
  return {
    estimate,
    interval: share && effectiveQuantileInterval(sorted, 0.95, share.dependence),
    ifIndependent: effectiveQuantileInterval(sorted, 0.95, independent),
  };
}

/** Attainment as textbooks have it: mean ± t standard errors over the batches. */
export function symmetricCase({ batches }: QueueWindow): Case {
  const means = batchMeans(batches);
  const estimate = means?.ratio ?? 0;
  const half =
    means === null ? 0 : studentTQuantile(0.975, means.degrees) * Math.sqrt(means.variance);
  return {
    estimate,
    interval: { low: estimate - half, high: estimate + half },
    ifIndependent: null,
  };
}

/** Heads of {@link cellsOf}. */
export const COVERAGE_HEAD = [
  'covered %',
  'not enough data %',
  'half-width ÷ oracle',
  'if independent covers %',
];

/** Coverage, how often nothing was stated, and the width against one who knows the variance. */
export function cellsOf(cases: readonly Case[], truth: number): Row {
  const mean = cases.reduce((sum, { estimate }) => sum + estimate, 0) / cases.length;
  const variance =
    cases.reduce((sum, { estimate }) => sum + (estimate - mean) ** 2, 0) / (cases.length - 1);
  const oracle = 1.96 * Math.sqrt(variance);
  const covers = ({ low, high }: Interval): boolean => low <= truth && truth <= high;
  const stated = cases.flatMap(({ interval }) => interval ?? []);
  const naive = cases.flatMap(({ ifIndependent }) => ifIndependent ?? []);
  const width = stated.reduce((sum, { low, high }) => sum + (high - low) / 2, 0) / stated.length;
  const percent = (count: number, of: number): string =>
    of === 0 ? 'not stated' : (100 * (count / of)).toFixed(1);
  return [
    percent(stated.filter(covers).length, stated.length),
    percent(cases.length - stated.length, cases.length),
    stated.length === 0 || oracle === 0 ? 'not stated' : (width / oracle).toFixed(2),
    naive.length === 0 ? 'not made' : percent(naive.filter(covers).length, naive.length),
  ];
}
