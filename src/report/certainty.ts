/** How sure a figure is, in the words and marks that terminal and Markdown share. */
import { printable } from '../base/index.ts';
import type { Attainment } from '../slo/index.ts';
import { type ConfidenceInterval, EARLY_STOPPING_METHOD, earlyStopping } from '../stats/index.ts';
import type { PointSummary, PopulationResult, Rates } from '../summary/index.ts';
import {
  countFigure,
  durationFigure,
  levelFigure,
  NOT_OBSERVED,
  shareFigure,
  shareRange,
} from './figures.ts';

/** Stands before a figure that has no interval: it was seen, and claims nothing. */
export const NO_INTERVAL_MARK = '~';

/** `95.1 % (93.0–96.8)`; `~95.1 %` without an interval. */
export function sureShareFigure({ share, interval }: Attainment): string {
  if (share === null) return NOT_OBSERVED;
  if (interval === null) return `${NO_INTERVAL_MARK}${shareFigure(share)}`;
  return `${shareFigure(share)} (${shareRange(interval.low, interval.high).replace(' %', '')})`;
}

/** `2.34/s (2.20–2.48)`; `~2.34/s` without an interval. */
export function sureFigure(
  value: number | null,
  interval: ConfidenceInterval | null,
  figure: (value: number | null) => string,
): string {
  if (value === null) return NOT_OBSERVED;
  if (interval === null) return `${NO_INTERVAL_MARK}${figure(value)}`;
  return `${figure(value)} (${levelFigure(interval.low)}–${levelFigure(interval.high)})`;
}

/** `2.34/s`, where a range has no room; `~2.34/s` without an interval. */
export function markedFigure(
  value: number | null,
  interval: ConfidenceInterval | null,
  figure: (value: number | null) => string,
): string {
  return value !== null && interval === null
    ? `${NO_INTERVAL_MARK}${figure(value)}`
    : figure(value);
}

/** The rates of what the service did, each with its interval, in the order of the tables. */
export function sureRateFigures(rates: Rates): string[] {
  return ESTIMATED_RATES.map((name) => sureFigure(rates[name], rates.intervals[name], levelFigure));
}

/** The same, marked where there is no interval. */
export function markedRateFigures(rates: Rates): string[] {
  return ESTIMATED_RATES.map((name) =>
    markedFigure(rates[name], rates.intervals[name], levelFigure),
  );
}

const ESTIMATED_RATES = [
  'completedRps',
  'successfulRps',
  'goodRps',
  'inputTokensPerSecond',
  'outputTokensPerSecond',
  'goodOutputTokensPerSecond',
] as const satisfies readonly (keyof Rates['intervals'])[];

/**
 * `met`; `likely met, not proven: about 900 more requests, 4 min`; `not enough data: about …`.
 */
export function provenStateText({ state, proven, toProve }: PopulationResult): string {
  const more = toProve === null ? '' : `: about ${moreText(toProve)}`;
  if (state === 'notEnoughData') return `not enough data${more}`;
  return proven ? state : `likely ${state}, not proven${more}`;
}

function moreText({ requests, seconds }: NonNullable<PopulationResult['toProve']>): string {
  return `${countFigure(roundedUp(requests))} more requests, ${longTime(seconds)}`;
}

/** Two digits are all that an estimate of effort can carry. */
function roundedUp(count: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, count))) - 1);
  return Math.ceil(count / unit) * unit;
}

function longTime(seconds: number): string {
  if (seconds < 120) return `${countFigure(Math.ceil(seconds))} s`;
  const minutes = seconds / 60;
  return minutes < 120
    ? `${countFigure(Math.ceil(minutes))} min`
    : `${levelFigure(minutes / 60)} h`;
}

/** What `--explain` says of the attainment's error: one sentence a line. */
export function certaintyLines(point: PointSummary): string[] {
  const { attainment } = point;
  const { dependence, interval, noInterval, intervalIfIndependent: naive } = attainment;
  if (attainment.share === null) return [];
  const lines: string[] = [];
  if (dependence !== null) {
    const { designEffect, effectiveN, batchCount, assumed } = dependence;
    lines.push(
      `design effect ${levelFigure(designEffect)}: ${countFigure(attainment.offered)} requests say as much as ` +
        `${levelFigure(effectiveN)} independent ones (effective n), from ${batchCount} batches` +
        (assumed ? '; too few misses to measure it, so the queue’s own memory stands in' : ''),
    );
  }
  if (interval !== null) {
    lines.push(
      `attained ${shareRange(interval.low, interval.high)} at ${percent(interval.level)}: ${interval.method}`,
    );
  } else if (noInterval !== null) {
    lines.push(noIntervalText(noInterval));
  }
  if (naive !== null) {
    lines.push(
      `if independent, which requests of one queue are not: ${shareRange(naive.low, naive.high)} (wilson)`,
    );
  }
  return [...lines, ...earlyStoppingLines(point)];
}

function noIntervalText({ reason, moreSeconds }: NonNullable<Attainment['noInterval']>): string {
  if (reason === 'growingBacklog') {
    return 'no interval: the backlog grew, so the share depends on how long the run was';
  }
  const more = moreSeconds === null ? '' : `: about ${longTime(moreSeconds)} more`;
  return `no interval, not enough data${more}`;
}

/** MLPerf's rule by its name, wherever an attainment target was set. */
function earlyStoppingLines({ attainment, population }: PointSummary): string[] {
  const target = population.find((result) => result.target.startsWith('attainment'))?.limit;
  if (target === undefined || target <= 0 || target >= 1) return [];
  const over = attainment.offered - attainment.good;
  const { passes, withinLeast } = earlyStopping(attainment.good, over, target);
  const verdict = passes
    ? 'passes'
    : `fails, ${countFigure(withinLeast - attainment.good)} more good requests without a miss would pass`;
  return [`${printable(EARLY_STOPPING_METHOD, 80)}, at 99 %: ${verdict}`];
}

function percent(level: number): string {
  return `${Math.round(100 * level)} %`;
}

/** `found, first 12.3 s`: how the warm-up was known; `declared` needs no word. */
export function warmUpBasisText({ warmUp, otherWindows }: PointSummary): string | null {
  if (warmUp.basis !== 'detected' || warmUp.untilNs === null) return null;
  const wall = otherWindows.find(({ window }) => window.kind === 'wall')?.window;
  const length = wall === undefined ? warmUp.untilNs : warmUp.untilNs - wall.fromNs;
  return `found (MSER-5), first ${durationFigure(length)}`;
}
