/** How often a growing backlog is found, and by which rule. */
import { BATCH_COUNT } from '../../src/stats/index.ts';
import { isLevelGrowing, isPathGrowing } from '../../src/summary/index.ts';
import { drawWindow, MM1, type QueueWindow } from '../../test/support/queue-window.ts';
import type { Row } from './report.ts';

/** Parts of the rate that the server can serve at most. */
const LOADS = [0.7, 0.85, 0.9, 1, 1.03, 1.05, 1.07];
const SERVICE_RPS = 10;
const SECONDS = [60, 240, 1_500];
/** Where a queue is steady, though busy: what is found there is a false alarm. */
const STEADY_LOAD = 0.85;

type Rule = (window: QueueWindow) => boolean;

/** Mean in flight of equal parts of the window. */
function partsOf({ levels }: QueueWindow): number[] {
  const each = levels.length / BATCH_COUNT;
  return Array.from({ length: BATCH_COUNT }, (_, part) => {
    const bins = levels.slice(part * each, (part + 1) * each);
    return bins.reduce((sum, level) => sum + level, 0) / each;
  });
}

const isGrowing: Rule = (window) => isPathGrowing(partsOf(window));

function rosesByThirds(window: QueueWindow): boolean {
  const parts = partsOf(window);
  const third = Math.floor(BATCH_COUNT / 3);
  const meanOf = (some: readonly number[]): number =>
    some.reduce((sum, level) => sum + level, 0) / some.length;
  return isLevelGrowing(meanOf(parts.slice(-2 * third, -third)), meanOf(parts.slice(-third)));
}

/** The longest delay as a part of the time that load was offered. */
function peakDelayShare({ latencySeconds, seconds }: QueueWindow): number {
  return latencySeconds.reduce((peak, delay) => Math.max(peak, delay), 0) / seconds;
}

/**
 * The peak delay that raises as many false alarms as {@link isGrowing}: found on windows of other
 * seeds, for each length its own.
 */
function peakRule(seconds: number, draw: Draw): Rule {
  const windows = draw(STEADY_LOAD, seconds, 500_009);
  const alarms = windows.filter(isGrowing).length;
  const peaks = windows.map(peakDelayShare).toSorted((a, b) => b - a);
  const cut = peaks[Math.min(alarms, peaks.length - 1)] as number;
  return (window) => peakDelayShare(window) > cut;
}

type Draw = (load: number, seconds: number, from: number) => QueueWindow[];

export const BACKLOG_HEAD: Row = [
  'part of the service rate',
  ...SECONDS.map((seconds) => `${seconds} s`),
  ...SECONDS.map((seconds) => `thirds alone, ${seconds} s`),
  ...SECONDS.map((seconds) => `peak delay, ${seconds} s`),
];

/** One row a load; each cell is the share of windows labelled. */
export function backlogRows(seed: number, quick: boolean): Row[] {
  const count = quick ? 4 : 300;
  const draw: Draw = (load, seconds, from) =>
    Array.from({ length: count }, (_, index) =>
      drawWindow(MM1, load * SERVICE_RPS, seconds, seed + from + 7_919 * index),
    );
  const peaks = new Map(SECONDS.map((seconds) => [seconds, peakRule(seconds, draw)]));
  return LOADS.map((load) => {
    const windows = SECONDS.map((seconds) => draw(load, seconds, 700_001));
    const shares = (ruleOf: (seconds: number) => Rule): string[] =>
      windows.map((drawn, index) => {
        const rule = ruleOf(SECONDS[index] as number);
        return `${((100 * drawn.filter(rule).length) / count).toFixed(0)} %`;
      });
    return [
      load.toFixed(2),
      ...shares(() => isGrowing),
      ...shares(() => rosesByThirds),
      ...shares((seconds) => peaks.get(seconds) as Rule),
    ];
  });
}
