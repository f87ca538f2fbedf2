/** Builds a comparison for tests of what is made of it. */
import type { Comparison, MetricComparison } from '../../src/comparison/index.ts';

export function metricComparison(options: Partial<MetricComparison> = {}): MetricComparison {
  return {
    metric: 'p50(tpot)',
    group: 'service',
    scale: 'relative',
    better: 'lower',
    pairs: 12,
    a: 6.5e6,
    b: 6.7e6,
    change: 0.031,
    interval: { low: 0.024, high: 0.038, level: 0.95, method: 'm', effectiveN: 12 },
    adjustedP: 0.0005,
    minimumEffect: 0.02,
    noiseFloor: null,
    detectable: 0.012,
    deviation: 0.01,
    verdict: 'worse',
    ...options,
  };
}

export function comparisonOf(options: Partial<Comparison> = {}): Comparison {
  return {
    schemaVersion: 1,
    tool: { name: 'goodput', version: '0.0.0-test' },
    design: 'interleaved',
    unit: 'pair',
    isNoiseFloor: false,
    a: { label: 'http://old:8000', runIds: ['1'] },
    b: { label: 'http://new:8000', runIds: ['2'] },
    questionHash: 'abcdef0123456789',
    objective: null,
    level: 0.95,
    unitsMeasured: 12,
    excluded: [],
    metrics: [metricComparison()],
    floorFrom: null,
    biasedMetrics: [],
    attribution: { allowed: true, differing: [], systemChanges: [], caveats: [] },
    hypothesis: null,
    verdict: 'worse',
    quality: 'equivalent',
    ...options,
  };
}
