import { describe, expect, test } from 'vitest';
import { randomStream } from '../base/index.ts';
import { comparePairs, type ComparedPair, type PairsOptions } from './compare-pairs.ts';
import type { MetricComparison } from './comparison.ts';
import { DEFAULT_MINIMUM_EFFECTS } from './metric.ts';
import { noiseFloorOf, parseNoiseFloor } from './noise-floor.ts';
import { qualityVerdict, serviceVerdict } from './overall-verdict.ts';
import type { WindowFigures } from './window-figures.ts';

const OPTIONS: PairsOptions = {
  pairsPerUnit: 1,
  seed: 1,
  effects: DEFAULT_MINIMUM_EFFECTS,
  floor: null,
};

function figures(values: WindowFigures['values'], unusable: string | null = null): WindowFigures {
  return { unusable, values, requests: { attainment: 240, failures: 240, incorrect: 240 } };
}

/** Twelve pairs whose B has `factor` times the TPOT of A, both with the noise of a machine. */
function pairsOf(factor: number, noise: number, count = 12): ComparedPair[] {
  const random = randomStream(11, `pairs/${factor}`);
  return Array.from({ length: count }, () => {
    const shared = 10e6 * (1 + 0.3 * random());
    const side = (by: number): WindowFigures => {
      const tpot = shared * by * (1 + noise * (random() - 0.5));
      return figures({ 'p50(tpot)': tpot, attainment: 1, goodput: 4, outputTokens: 200 });
    };
    return { a: side(1), b: side(factor) };
  });
}

function metric(pairs: readonly ComparedPair[], name: string, options = OPTIONS): MetricComparison {
  const found = comparePairs(pairs, options).metrics.find((each) => each.metric === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

describe('comparePairs', () => {
  test('finds 3 % slower steps through 30 % of variation that pairs share', () => {
    const found = metric(pairsOf(1.03, 0.02), 'p50(tpot)');
    expect(found.verdict).toBe('worse');
    expect(found.change).toBeCloseTo(0.03, 2);
    expect(found.interval?.low).toBeGreaterThan(0.02);
    expect((found.b ?? 0) / (found.a ?? 1) - 1).toBeCloseTo(found.change ?? 0, 12);
    expect(found.detectable).toBeLessThan(0.02);
  });

  test('faster steps are better, and equal ones equivalent within the minimum effect', () => {
    expect(metric(pairsOf(0.95, 0.02), 'p50(tpot)').verdict).toBe('better');
    expect(metric(pairsOf(1, 0.02), 'p50(tpot)').verdict).toBe('equivalent');
  });

  test('noise as large as the minimum effect shows nothing, and says what it would have found', () => {
    const found = metric(pairsOf(1.01, 0.2), 'p50(tpot)');
    expect(found.verdict).toBe('noDifferenceShown');
    expect(found.detectable).toBeGreaterThan(0.03);
  });

  test('five pairs are not enough, nor are twelve of which seven may not be compared', () => {
    expect(metric(pairsOf(1.5, 0.01, 5), 'p50(tpot)').verdict).toBe('notEnoughData');
    const broken = pairsOf(1.5, 0.01).map((pair, at) =>
      at < 7 ? { ...pair, b: { ...pair.b, unusable: 'the generator stalled' } } : pair,
    );
    const result = comparePairs(broken, OPTIONS);
    expect(result.excluded).toHaveLength(7);
    expect(result.excluded[0]).toEqual({ unit: 0, reason: 'B: the generator stalled' });
    expect(serviceVerdict(result.metrics, true)).toBe('notEnoughData');
  });

  test('shares that are equal everywhere claim no more than their requests allow', () => {
    const found = metric(pairsOf(1, 0.02), 'attainment');
    // 12 × 240 requests, half of them independent: clopper-pearson of 0 in 1,440.
    expect(found.interval?.high).toBeCloseTo(1 - 0.025 ** (1 / 1440), 12);
    expect(found.verdict).toBe('equivalent');
  });

  test('a goodput that collapses in every window of B has a change of −100 %', () => {
    const pairs = pairsOf(1, 0.02).map(({ a, b }) => ({
      a,
      b: { ...b, values: { ...b.values, goodput: 0 } },
    }));
    expect(metric(pairs, 'goodput')).toMatchObject({ change: -1, verdict: 'worse' });
  });

  test('answers of another length are another thing compared, not a service that is worse', () => {
    const pairs = pairsOf(1, 0.02).map(({ a, b }) => ({
      a,
      b: { ...b, values: { ...b.values, outputTokens: 150, 'finish[length]': 0.5 } },
    }));
    const { metrics } = comparePairs(pairs, OPTIONS);
    expect(serviceVerdict(metrics, true)).toBe('equivalent');
    expect(qualityVerdict(metrics)).toBe('changed');
    expect(metric(pairs, 'finish[length]')).toMatchObject({ a: 0, b: 0.5, verdict: 'changed' });
  });

  test('a difference within the noise of two equal sides is not shown', () => {
    const pairs = pairsOf(1.03, 0.02);
    const equal = comparePairs(pairsOf(1, 0.3), OPTIONS).metrics;
    const floor = noiseFloorOf('q', equal);
    expect(parseNoiseFloor(JSON.parse(JSON.stringify(floor)))).toEqual(floor);
    const found = metric(pairs, 'p50(tpot)', { ...OPTIONS, floor });
    expect(found.noiseFloor).toBeGreaterThan(0.03);
    expect(found.verdict).toBe('noDifferenceShown');
    expect(found.detectable).toBeGreaterThan(0.05);
  });

  test('blocks of two pairs are half as many units', () => {
    const found = metric(pairsOf(1.03, 0.02, 16), 'p50(tpot)', { ...OPTIONS, pairsPerUnit: 2 });
    expect(found).toMatchObject({ pairs: 8, verdict: 'worse' });
  });

  test('equal pairs and seeds give equal results', () => {
    const pairs = pairsOf(1.02, 0.05, 16);
    expect(comparePairs(pairs, OPTIONS)).toEqual(comparePairs(pairs, OPTIONS));
  });
});

describe('parseNoiseFloor', () => {
  test('refuses what is none', () => {
    expect(parseNoiseFloor(null)).toBeNull();
    expect(
      parseNoiseFloor({ schemaVersion: 2, questionHash: 'q', pairs: 8, metrics: {} }),
    ).toBeNull();
    const broken = { low: 0, high: 'x', deviation: 1, biased: false };
    const metrics = { goodput: broken };
    expect(parseNoiseFloor({ schemaVersion: 1, questionHash: 'q', pairs: 8, metrics })).toBeNull();
  });
});
