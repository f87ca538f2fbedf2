/** Two measured capacities, each with its interval. */
import { studentTCdf } from '../stats/index.ts';
import { changeVerdict } from './change-verdict.ts';
import { COMPARISON_LEVEL } from './compare-pairs.ts';
import type { MetricComparison } from './comparison.ts';
import { knownMetric, type MinimumEffects } from './metric.ts';

/** The load at which attainment meets its target, with an interval at `COMPARISON_LEVEL`. */
export interface MeasuredCapacity {
  readonly rps: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The change of capacity. The two searches are independent of one another, so that their doubts
 * add as squares, on the logarithm, each side by its own half.
 *
 * Range: all rates above 0. Source: Newcombe's square-and-add for two intervals ("MOVER"; Zou and
 * Donner, Statistics in Medicine 27, 2008).
 */
export function compareCapacities(
  a: MeasuredCapacity,
  b: MeasuredCapacity,
  effects: MinimumEffects,
): MetricComparison {
  const metric = knownMetric('capacity');
  const raw = Math.log(b.rps / a.rps);
  const below = Math.hypot(Math.log(b.rps / b.low), Math.log(a.high / a.rps));
  const above = Math.hypot(Math.log(b.high / b.rps), Math.log(a.rps / a.low));
  const change = Math.expm1(raw);
  const towardsZero = raw > 0 ? below : above;
  const shown = {
    interval: {
      low: Math.expm1(raw - below),
      high: Math.expm1(raw + above),
      level: COMPARISON_LEVEL,
      method: 'two independent searches, square and add',
      effectiveN: 2,
    },
    adjustedP: raw === 0 ? 1 : 2 * studentTCdf((-Math.abs(raw) * NORMAL_95) / towardsZero, 1e6),
    minimumEffect: effects.relativeShare,
    noiseFloor: null,
  };
  return {
    metric: metric.name,
    group: metric.group,
    scale: metric.scale,
    better: metric.better,
    pairs: 1,
    a: a.rps,
    b: b.rps,
    change,
    ...shown,
    detectable: null,
    deviation: null,
    verdict: changeVerdict({ change, ...shown }, metric.better),
  };
}

/** Half-widths of a 95 % interval are so many standard errors. */
const NORMAL_95 = 1.959964;
