/**
 * What the intervals cover, in short and with fixed seeds: the long version with its tables is
 * `npm run bench:coverage`, and docs/statistics.md tells of it.
 */
import { describe, expect, it } from 'vitest';
import {
  effectiveQuantileInterval,
  quantile,
  queueDesignEffect,
  replicatedShareEstimate,
  shareEstimate,
  sortedCopy,
  wilsonInterval,
} from '../../src/stats/index.ts';
import {
  batchesWithin,
  CAPACITY_RPS,
  drawWindow,
  ENGINE,
  MD1,
  MM1,
  type QueueModel,
  type QueueWindow,
} from '../support/queue-window.ts';

interface Interval {
  readonly low: number;
  readonly high: number;
}

const WINDOWS = 80;
/** Long runs of the engine: `npm run bench:coverage` computes them again. */
const ENGINE_ATTAINMENT: Readonly<Record<number, number>> = { 0.85: 0.9827, 1: 0.9509 };
const ENGINE_P95_SECONDS = 0.514;

const windowsOf = (model: QueueModel, part: number, seconds: number, count = WINDOWS) =>
  Array.from({ length: count }, (_, index) =>
    drawWindow(model, part * CAPACITY_RPS, seconds, 77_003 + 7_919 * index),
  );
const truthOf = (model: QueueModel, part: number): number =>
  model.attainment(part * CAPACITY_RPS) ?? (ENGINE_ATTAINMENT[part] as number);
const offeredOf = ({ batches }: QueueWindow): number =>
  batches.reduce((sum, { offered }) => sum + offered, 0);
const goodOf = ({ batches }: QueueWindow): number =>
  batches.reduce((sum, { good }) => sum + good, 0);
const looksOf = (window: QueueWindow): number =>
  queueDesignEffect(window.levels, offeredOf(window));
const attained = (window: QueueWindow): Interval | null =>
  shareEstimate(window.batches, looksOf(window))?.interval ?? null;
const isStated = <T extends Interval>(interval: T | null): interval is T => interval !== null;
const coverage = (intervals: readonly Interval[], truth: number): number =>
  intervals.filter(({ low, high }) => low <= truth && truth <= high).length / intervals.length;
/** 93 % less three standard errors of a coverage seen in so many windows. */
const leastSeen = (count: number): number => 0.93 - 3 * Math.sqrt((0.93 * 0.07) / count);

describe.each([MM1, MD1, ENGINE])('attainment of $name', (model) => {
  it.each([0.85, 1])(
    'at %s of capacity is covered from a window of 240 s, or not stated',
    (part) => {
      const stated = windowsOf(model, part, 240).map(attained).filter(isStated);
      expect(stated.length).toBeGreaterThan(WINDOWS / 2);
      expect(coverage(stated, truthOf(model, part))).toBeGreaterThan(leastSeen(stated.length));
    },
  );

  it('on raw counts covers the truth less than half the time', () => {
    const raw = windowsOf(model, 1, 240).map((window) =>
      wilsonInterval(goodOf(window), offeredOf(window)),
    );
    expect(coverage(raw.filter(isStated), truthOf(model, 1))).toBeLessThan(0.5);
  });
});

describe('attainment of the engine at capacity', () => {
  it('is always stated from 1,500 s, no wider than 1.5 times what knowing the variance gives', () => {
    const windows = windowsOf(ENGINE, 1, 1_500, 24);
    const stated = windows.map(attained).filter(isStated);
    expect(stated).toHaveLength(24);
    expect(coverage(stated, truthOf(ENGINE, 1))).toBeGreaterThan(leastSeen(24));
    // The standard deviation of a 1,500 s window, from the long version: 0.85 points.
    const halfWidth = stated.reduce((sum, { low, high }) => sum + (high - low) / 2, 0) / 24;
    expect(halfWidth / (1.96 * 0.0085)).toBeLessThan(1.5);
    expect(halfWidth / (1.96 * 0.0085)).toBeGreaterThan(0.9);
  });

  it('is stated from five replications, by the variance between them', () => {
    const windows = windowsOf(ENGINE, 1, 240, 120);
    const stated = Array.from({ length: 24 }, (_, group) => {
      const five = windows.slice(5 * group, 5 * group + 5);
      const looks = five.reduce((sum, window) => sum + looksOf(window), 0) / 5;
      return (
        replicatedShareEstimate(
          five.map(({ batches }) => batches),
          looks,
        )?.interval ?? null
      );
    }).filter(isStated);
    expect(stated).toHaveLength(24);
    expect(coverage(stated, truthOf(ENGINE, 1))).toBeGreaterThan(leastSeen(24));
  });
});

it('p95 of TTFT at 0.85 of capacity is covered from 1,500 s', () => {
  const stated = windowsOf(ENGINE, 0.85, 1_500, 24).flatMap((window) => {
    const sorted = sortedCopy(window.latencySeconds);
    const within = batchesWithin(window, quantile(sorted, 0.95, 'nearestRank'));
    const dependence = shareEstimate(within, looksOf(window))?.dependence;
    const interval = dependence && effectiveQuantileInterval(sorted, 0.95, dependence);
    return interval ? [interval] : [];
  });
  expect(stated.length).toBeGreaterThan(15);
  expect(coverage(stated, ENGINE_P95_SECONDS)).toBeGreaterThan(leastSeen(stated.length));
});
