/** Pairs of windows → every metric's change, with what it may be worth. */
import { randomStream } from '../base/index.ts';
import {
  clopperPearsonInterval,
  type ConfidenceInterval,
  detectableDifference,
  MINIMUM_PAIRS,
  pairedBootstrapInterval,
  sampleDeviation,
  signFlipTest,
} from '../stats/index.ts';
import { changeVerdict, SIGNIFICANCE } from './change-verdict.ts';
import type { MetricComparison } from './comparison.ts';
import { changeOf, type MetricScaleContext, pairDifference, typicalValue } from './differences.ts';
import {
  inMetricOrder,
  knownMetric,
  type Metric,
  minimumEffectOf,
  type MinimumEffects,
} from './metric.ts';
import { floorSize, type NoiseFloor } from './noise-floor.ts';
import type { WindowFigures } from './window-figures.ts';

export interface ComparedPair {
  readonly a: WindowFigures;
  readonly b: WindowFigures;
}

export interface PairsOptions {
  /** Pairs averaged into one independent unit: 1, or 2 where a block A B B A shares its restarts. */
  readonly pairsPerUnit: 1 | 2;
  /** Of the resampling; equal pairs and seeds give equal results. */
  readonly seed: number;
  readonly effects: MinimumEffects;
  /** `null` = none was measured. */
  readonly floor: NoiseFloor | null;
}

export interface PairsComparison {
  readonly metrics: readonly MetricComparison[];
  readonly excluded: readonly { readonly unit: number; readonly reason: string }[];
}

/** Confidence of every interval. */
export const COMPARISON_LEVEL = 1 - SIGNIFICANCE;

/**
 * Compares side B with side A. A pair with a window that may not be compared is left out on both
 * sides, and said so. Each metric has a bootstrap interval over the units; that it is more than
 * chance is tested over all metrics together.
 */
export function comparePairs(
  pairs: readonly ComparedPair[],
  options: PairsOptions,
): PairsComparison {
  const excluded = pairs.flatMap(({ a, b }, unit) => {
    const reason = a.unusable ?? b.unusable;
    return reason === null
      ? []
      : [{ unit, reason: `${a.unusable === null ? 'B' : 'A'}: ${reason}` }];
  });
  const left = new Set(excluded.map(({ unit }) => unit));
  const usable = pairs.map((pair, at) => (left.has(at) ? null : pair));
  const names = inMetricOrder(
    new Set(usable.flatMap((pair) => (pair === null ? [] : namesOf(pair)))),
  );
  const rows = names.map((name) => metricRow(knownMetric(name), usable, options.pairsPerUnit));
  const random = randomStream(options.seed, 'sign-flip');
  const test = signFlipTest(
    rows.map(({ differences }) => differences),
    { random, level: COMPARISON_LEVEL },
  );
  const metrics = rows.map((row, at) =>
    compareMetric(row, options, {
      adjustedP: test.adjustedP[at] as number,
      criticalT: test.criticalT,
    }),
  );
  return { metrics, excluded };
}

/** Finish reasons are 0 where no answer had them, so that both sides have all. */
function namesOf({ a, b }: ComparedPair): string[] {
  return [...Object.keys(a.values), ...Object.keys(b.values)];
}

interface MetricRow {
  readonly metric: Metric;
  readonly context: MetricScaleContext;
  /** By unit; `null` where a side gave no value. */
  readonly differences: readonly (number | null)[];
  readonly values: { readonly a: readonly number[]; readonly b: readonly number[] };
  /** Requests behind a share, of the side that had fewer. */
  readonly requests: number;
}

function metricRow(
  metric: Metric,
  pairs: readonly (ComparedPair | null)[],
  pairsPerUnit: 1 | 2,
): MetricRow {
  const both = pairs.map((pair) => {
    if (pair === null) return null;
    const [a, b] = [valueOf(pair.a, metric), valueOf(pair.b, metric)];
    return a === null || b === null ? null : { a, b };
  });
  const seen = both.filter((values) => values !== null);
  const values = { a: seen.map(({ a }) => a), b: seen.map(({ b }) => b) };
  const context = { scale: metric.scale, meanA: mean(values.a) };
  const single = both.map((each) => (each === null ? null : pairDifference(each, context)));
  const requestsOf = (side: 'a' | 'b'): number =>
    pairs.reduce((sum, pair) => sum + (pair?.[side].requests[metric.name] ?? 0), 0);
  return {
    metric,
    context,
    differences: pairsPerUnit === 1 ? single : blockMeans(single),
    values,
    requests: Math.min(requestsOf('a'), requestsOf('b')),
  };
}

/** An answer that never ended so has a share of 0, not an unknown one. */
function valueOf({ values, requests }: WindowFigures, { name }: Metric): number | null {
  if (name.startsWith('finish[') && (requests['incorrect'] ?? 0) > 0) return values[name] ?? 0;
  return values[name] ?? null;
}

/** Two neighbouring pairs as one; a block with half its pairs stands for itself. */
function blockMeans(single: readonly (number | null)[]): (number | null)[] {
  return Array.from({ length: Math.ceil(single.length / 2) }, (_, block) => {
    const values = [single[2 * block], single[2 * block + 1]].filter(
      (value): value is number => typeof value === 'number',
    );
    return values.length === 0 ? null : mean(values);
  });
}

function compareMetric(
  { metric, context, differences, values, requests }: MetricRow,
  { seed, effects, floor }: PairsOptions,
  chance: { readonly adjustedP: number; readonly criticalT: number | null },
): MetricComparison {
  const seen = differences.filter((value) => value !== null);
  const change = seen.length === 0 ? null : changeOf(mean(seen), context);
  const random = randomStream(seed, `bootstrap/${metric.name}`);
  const raw =
    seen.some((value) => value !== 0) || metric.scale !== 'points'
      ? pairedBootstrapInterval(seen, { random, level: COMPARISON_LEVEL })
      : equalShares(seen.length, requests);
  const interval =
    raw === null
      ? null
      : { ...raw, low: changeOf(raw.low, context), high: changeOf(raw.high, context) };
  const own = sampleDeviation(seen);
  const ofEqualSides = floor?.metrics[metric.name] ?? null;
  const deviation = ofEqualSides?.deviation ?? own;
  const raise =
    deviation === null || deviation === 0 || chance.criticalT === null
      ? null
      : detectableDifference({ deviation, pairs: seen.length, criticalT: chance.criticalT });
  const shown = {
    interval,
    adjustedP: interval === null ? null : chance.adjustedP,
    minimumEffect: minimumEffectOf(metric, effects),
    noiseFloor: ofEqualSides === null ? null : floorSize(ofEqualSides),
  };
  return {
    metric: metric.name,
    group: metric.group,
    scale: metric.scale,
    better: metric.better,
    pairs: seen.length,
    a: typicalValue(values.a, metric.scale),
    b: typicalValue(values.b, metric.scale),
    change,
    ...shown,
    detectable: raise === null ? null : changeOf(raise, context),
    deviation: own,
    verdict: change === null ? 'notEnoughData' : changeVerdict({ change, ...shown }, metric.better),
  };
}

/** Requests of one window hang together: of so many, at least this share counts as independent. */
const INDEPENDENT_SHARE = 0.5;

/**
 * Equal shares in every pair have no spread to draw from. What is known then is that of so many
 * requests none came out differently.
 */
function equalShares(pairs: number, requests: number): ConfidenceInterval | null {
  const independent = Math.floor(requests * INDEPENDENT_SHARE);
  const rare = clopperPearsonInterval(0, independent, COMPARISON_LEVEL);
  if (pairs < MINIMUM_PAIRS || rare === null) return null;
  return {
    ...rare,
    low: -rare.high,
    method: 'no request differed: clopper-pearson at half of them',
    effectiveN: independent,
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
