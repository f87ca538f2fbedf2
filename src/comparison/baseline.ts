/** One run against the spread of earlier ones: what the nightly job asks. */
import {
  type ConfidenceInterval,
  sampleDeviation,
  studentTCdf,
  studentTQuantile,
} from '../stats/index.ts';
import { changeVerdict, SIGNIFICANCE } from './change-verdict.ts';
import { COMPARISON_LEVEL } from './compare-pairs.ts';
import type { MetricComparison } from './comparison.ts';
import { changeOf, pairDifference, typicalValue } from './differences.ts';
import {
  inMetricOrder,
  knownMetric,
  type Metric,
  minimumEffectOf,
  type MinimumEffects,
} from './metric.ts';
import type { WindowFigures } from './window-figures.ts';

/** Runs whose spread is needed to say what an ordinary night is. */
export const MINIMUM_BASELINE_RUNS = 6;

/** Label of the intervals. */
export const PREDICTION_METHOD = 'Student prediction over earlier runs';

/**
 * The change of the run against the typical earlier one. The interval is where the change would
 * lie, as a prediction: it counts the spread from run to run and the doubt about their mean, so
 * that an ordinary run's holds 0 in 95 % of nights. The probabilities are adjusted (Bonferroni) for
 * the number of metrics, so that a night is not the worse for having many.
 *
 * Holds if runs are independent and, on the metric's scale, near normal.
 */
export function compareWithBaseline(
  run: WindowFigures,
  earlier: readonly WindowFigures[],
  effects: MinimumEffects,
): MetricComparison[] {
  const names = inMetricOrder(Object.keys(run.values)).filter((name) => run.values[name] !== null);
  return names.map((name) => compareMetric(knownMetric(name), run, earlier, effects, names.length));
}

function compareMetric(
  metric: Metric,
  run: WindowFigures,
  earlier: readonly WindowFigures[],
  effects: MinimumEffects,
  metricCount: number,
): MetricComparison {
  const b = run.values[metric.name] ?? null;
  const values = earlier
    .map((each) => each.values[metric.name] ?? null)
    .filter((value) => value !== null);
  const meanA = values.reduce((sum, value) => sum + value, 0) / values.length;
  const context = { scale: metric.scale, meanA };
  const differences =
    b === null
      ? []
      : values.map((a) => pairDifference({ a, b }, context)).filter((value) => value !== null);
  const n = differences.length;
  const raw = n === 0 ? null : differences.reduce((sum, value) => sum + value, 0) / n;
  const deviation = withCountingNoise(metric, run, sampleDeviation(differences), meanA);
  const spread = deviation === null ? null : deviation * Math.sqrt(1 + 1 / n);
  const enough = n >= MINIMUM_BASELINE_RUNS && spread !== null && raw !== null;
  const interval = enough ? predictionInterval(raw, spread, n, (x) => changeOf(x, context)) : null;
  const adjustedP = enough ? Math.min(1, metricCount * twoSidedP(raw, spread, n)) : null;
  const change = raw === null ? null : changeOf(raw, context);
  const shown = {
    interval,
    adjustedP,
    minimumEffect: minimumEffectOf(metric, effects),
    noiseFloor: null,
  };
  return {
    metric: metric.name,
    group: metric.group,
    scale: metric.scale,
    better: metric.better,
    pairs: n,
    a: typicalValue(values, metric.scale),
    b,
    change,
    ...shown,
    detectable:
      enough && spread > 0 ? changeOf(detectableSpreads(n, metricCount) * spread, context) : null,
    deviation,
    verdict: change === null ? 'notEnoughData' : changeVerdict({ change, ...shown }, metric.better),
  };
}

function predictionInterval(
  raw: number,
  spread: number,
  n: number,
  toChange: (difference: number) => number,
): ConfidenceInterval {
  const half = studentTQuantile((1 + COMPARISON_LEVEL) / 2, n - 1) * spread;
  return {
    low: toChange(raw - half),
    high: toChange(raw + half),
    level: COMPARISON_LEVEL,
    method: PREDICTION_METHOD,
    effectiveN: n,
  };
}

function twoSidedP(raw: number, spread: number, n: number): number {
  if (raw === 0) return 1;
  return spread === 0 ? 0 : 2 * studentTCdf(-Math.abs(raw) / spread, n - 1);
}

/** Spreads that a change must reach to be found on 80 % of nights. */
function detectableSpreads(n: number, metricCount: number): number {
  const critical = studentTQuantile(1 - SIGNIFICANCE / 2 / metricCount, n - 1);
  return critical + studentTQuantile(0.8, n - 1);
}

/**
 * A share that was the same every night still varies as counts do: its deviation is at least that
 * of so many requests, one more miss among them, with a design effect of two.
 */
function withCountingNoise(
  { name, scale }: Metric,
  run: WindowFigures,
  deviation: number | null,
  mean: number,
): number | null {
  const requests = run.requests[name] ?? 0;
  if (scale !== 'points' || deviation === null || requests === 0) return deviation;
  const rarer = Math.max(Math.min(mean, 1 - mean), 1 / (requests + 1));
  return Math.max(deviation, Math.sqrt((2 * rarer * (1 - rarer)) / requests));
}
