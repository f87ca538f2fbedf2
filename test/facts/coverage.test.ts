/**
 * What the intervals cover, in short and with fixed seeds: the long version with its tables is
 * `npm run bench:coverage`, and docs/statistics.md tells of it.
 */
import { describe, expect, it } from 'vitest';
import { attainmentCase, type Case, p95Case } from '../../bench/support/window-cases.ts';
import {
  CAPACITY_RPS,
  drawWindow,
  ENGINE,
  MD1,
  MM1,
  type QueueModel,
  type QueueWindow,
} from '../support/queue-window.ts';
import { MM4 } from '../support/untuned-queues.ts';

/** Long runs of the engine: `npm run bench:coverage` computes them again. */
const ENGINE_ATTAINMENT = 0.9509;
const ENGINE_P95_SECONDS = 0.514;

const windowsOf = (model: QueueModel, part: number, seconds: number, count: number) =>
  Array.from({ length: count }, (_, index) =>
    drawWindow(model, part * CAPACITY_RPS, seconds, 77_003 + 7_919 * index),
  );
const alone = (window: QueueWindow): readonly QueueWindow[] => [window];
const covers = (interval: Case['interval'], truth: number): boolean =>
  interval !== null && interval.low <= truth && truth <= interval.high;
const statedOf = (cases: readonly Case[]) => cases.flatMap(({ interval }) => interval ?? []);
const coverage = (intervals: readonly NonNullable<Case['interval']>[], truth: number): number =>
  intervals.filter((interval) => covers(interval, truth)).length / intervals.length;
/** 93 % less three standard errors of a coverage seen in so many windows. */
const leastSeen = (count: number): number => 0.93 - 3 * Math.sqrt((0.93 * 0.07) / count);

describe.each([MM1, MD1, MM4])('attainment of $name at capacity', (model) => {
  const cases = windowsOf(model, 1, 240, 40).map((window) => attainmentCase(alone(window)));
  const truth = model.attainment(CAPACITY_RPS) as number;

  it('is covered from a window of 240 s, or not stated', () => {
    const stated = statedOf(cases);
    expect(stated.length).toBeGreaterThan(20);
    expect(coverage(stated, truth)).toBeGreaterThan(leastSeen(stated.length));
  });

  it('on raw counts is covered in less than half of the windows', () => {
    const raw = cases.filter(({ ifIndependent }) => covers(ifIndependent, truth));
    expect(raw.length / cases.length).toBeLessThan(0.5);
  });
});

describe('the engine', () => {
  it('states its attainment at capacity from 1,500 s, within 1.5 times what knowing the variance gives', () => {
    const windows = windowsOf(ENGINE, 1, 1_500, 10);
    const stated = statedOf(windows.map((window) => attainmentCase(alone(window))));
    expect(stated).toHaveLength(10);
    expect(coverage(stated, ENGINE_ATTAINMENT)).toBeGreaterThan(leastSeen(10));
    // The standard deviation of a 1,500 s window, from the long version: 0.85 points.
    const halfWidth = stated.reduce((sum, { low, high }) => sum + (high - low) / 2, 0) / 10;
    expect(halfWidth / (1.96 * 0.0085)).toBeLessThan(1.5);
    expect(halfWidth / (1.96 * 0.0085)).toBeGreaterThan(0.9);
  });

  it('states it from five replications, by the variance between them', () => {
    const windows = windowsOf(ENGINE, 1, 240, 50);
    const groups = Array.from({ length: 10 }, (_, at) => windows.slice(5 * at, 5 * at + 5));
    const stated = statedOf(groups.map(attainmentCase));
    expect(stated).toHaveLength(10);
    expect(coverage(stated, ENGINE_ATTAINMENT)).toBeGreaterThan(leastSeen(10));
  });

  it('states p95 of TTFT at 0.85 of capacity from 1,500 s, not from 240 s', () => {
    const casesOf = (seconds: number): Case[] =>
      windowsOf(ENGINE, 0.85, seconds, 10).map((window) => p95Case(alone(window)));
    const stated = statedOf(casesOf(1_500));
    expect(stated.length).toBeGreaterThan(5);
    expect(coverage(stated, ENGINE_P95_SECONDS)).toBeGreaterThan(leastSeen(stated.length));
    expect(statedOf(casesOf(240))).toEqual([]);
  });
});

it('p95 of M/M/1 at 0.85 of capacity is covered wherever a window of 240 s states it', () => {
  const windows = windowsOf(MM1, 0.85, 240, 100);
  const stated = statedOf(windows.map((window) => p95Case(alone(window))));
  expect(stated.length).toBeGreaterThan(10);
  expect(coverage(stated, 0.735)).toBeGreaterThan(leastSeen(stated.length));
});
