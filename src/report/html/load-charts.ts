/** What a service gives as more is asked of it: throughput, goodput and attainment by load. */
import { type Chart, type XyPoint, xyChart } from '../../charts/index.ts';
import type { ConfidenceInterval } from '../../stats/index.ts';
import type { PointSummary, Summary } from '../../summary/index.ts';
import { sureFigure, sureShareFigure } from '../certainty.ts';
import { countFigure, levelFigure, rateFigure } from '../figures.ts';
import { levelText } from '../words.ts';
import { countTick, loadAxis, percentTick, SHARE_AXIS } from './axes.ts';

/** Throughput and goodput on one axis, so that the cliff between them is seen. */
export function goodputChart(summary: Summary, prefix: string): Chart {
  const points = byLevel(summary);
  const kind = points[0]?.load.kind ?? 'rate';
  const completed = points.map((point) =>
    ratePoint(point, point.rates.completedRps, point.rates.intervals.completedRps, 'completed'),
  );
  const good = points.map((point) =>
    ratePoint(point, point.goodputRps, point.rates.intervals.goodRps, 'good'),
  );
  const knee = summary.knee?.level ?? null;
  return xyChart({
    name: `${prefix}goodput`,
    title: 'Throughput and goodput by load',
    description: `Requests per second completed, and those of them that were good, at ${points.length} loads. ${peakText(points)}`,
    x: loadAxis(kind),
    y: { name: 'requests/s', kind: 'linear', format: countTick },
    series: [
      { name: 'completed (throughput)', draw: 'line', dots: true, points: completed },
      { name: 'good (goodput)', draw: 'line', dots: true, points: good, tone: 'good' },
    ],
    references:
      knee === null
        ? []
        : [{ axis: 'x', at: knee, label: `knee ${countTick(knee)}`, kind: 'target' }],
    ...(kind === 'rate' && { diagonal: 'all that was offered' }),
  });
}

/** Attainment by load with its interval and the target. */
export function attainmentChart(summary: Summary, prefix: string): Chart {
  const points = byLevel(summary);
  const target = summary.objective?.population.attainmentShare ?? null;
  return xyChart({
    name: `${prefix}attainment`,
    title: 'Attainment by load',
    description: `Share of the offered requests that were good, at ${points.length} loads, with 95 % intervals${target === null ? '' : `; the target is ${percentTick(target)}`}.`,
    x: loadAxis(points[0]?.load.kind ?? 'rate'),
    y: { name: 'good of offered', ...SHARE_AXIS },
    series: [
      {
        name: 'attainment',
        draw: 'line',
        dots: true,
        tone: 'good',
        points: points.map((point) => ({
          x: point.load.level,
          y: point.attainment.share,
          low: point.attainment.interval?.low ?? null,
          high: point.attainment.interval?.high ?? null,
          hollow: point.attainment.interval === null,
          tip: `${levelText(point.load)}: ${sureShareFigure(point.attainment)}, n ${countFigure(point.attainment.offered)}`,
        })),
      },
    ],
    references:
      target === null
        ? []
        : [{ axis: 'y', at: target, label: `target ${percentTick(target)}`, kind: 'limit' }],
  });
}

/** Output tokens per second by load. */
export function tokensChart(summary: Summary, prefix: string): Chart {
  const points = byLevel(summary);
  return xyChart({
    name: `${prefix}tokens`,
    title: 'Output tokens by load',
    description: `Output tokens per second, all and of good requests, at ${points.length} loads.`,
    x: loadAxis(points[0]?.load.kind ?? 'rate'),
    y: { name: 'output tokens/s', kind: 'linear', format: countTick },
    series: [
      {
        name: 'output tokens',
        draw: 'line',
        dots: true,
        points: points.map((point) =>
          ratePoint(
            point,
            point.rates.outputTokensPerSecond,
            point.rates.intervals.outputTokensPerSecond,
            'tokens',
          ),
        ),
      },
      {
        name: 'of good requests',
        draw: 'line',
        dots: true,
        tone: 'good',
        points: points.map((point) => ({
          x: point.load.level,
          y: point.rates.goodOutputTokensPerSecond,
          tip: `${levelText(point.load)}: ${levelFigure(point.rates.goodOutputTokensPerSecond)} good tok/s`,
        })),
      },
    ],
    references: [],
  });
}

function ratePoint(
  point: PointSummary,
  value: number | null,
  interval: ConfidenceInterval | null,
  what: string,
): XyPoint {
  return {
    x: point.load.level,
    y: value,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    hollow: interval === null,
    tip: `${levelText(point.load)}: ${what} ${sureFigure(value, interval, levelFigure)}, n ${countFigure(point.ledger.scheduled)}`,
  };
}

function byLevel({ points }: Summary): PointSummary[] {
  return points.toSorted((a, b) => a.load.level - b.load.level);
}

function peakText(points: readonly PointSummary[]): string {
  const best = points.toSorted((a, b) => (b.goodputRps ?? 0) - (a.goodputRps ?? 0))[0];
  return best === undefined
    ? ''
    : `Goodput is highest at ${levelText(best.load)}: ${rateFigure(best.goodputRps)}.`;
}
