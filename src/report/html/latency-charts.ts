/** How long users waited: distributions of TTFT, TPOT and gaps with the limits they are held to. */
import { type Chart, type Reference, xyChart, type XySeries } from '../../charts/index.ts';
import { bucketLabel, type Objective } from '../../slo/index.ts';
import type { PointSummary } from '../../summary/index.ts';
import { countFigure } from '../figures.ts';
import { gapName, levelText, tpotName } from '../words.ts';
import { latencyAxis, msTick, SHARE_AXIS } from './axes.ts';
import type { Curve, PointCurves } from './point-curves.ts';

/** Lines that stay apart to the eye. */
const SERIES_MAX = 6;
const NS_PER_MS = 1e6;

/** TTFT, TPOT, gaps and completion of one load point; those without a value are left out. */
export function latencyCharts(
  point: PointSummary,
  curves: PointCurves,
  objective: Objective | null,
  prefix: string,
): Chart[] {
  const from = objective?.request.from === 'dispatch' ? 'from dispatch' : 'from planned';
  const seen = new Set(point.promptBuckets.map(({ name }) => name));
  return [
    ecdfChart(`${prefix}ttft`, `TTFT ${from}`, curves.ttftMs, ttftLimits(objective, seen)),
    ecdfChart(`${prefix}tpot`, tpotName(point), [curves.tpotMs], tpotLimits(objective)),
    ecdfChart(`${prefix}gap`, capitalised(gapName(point)), [curves.gapMs], gapLimits(objective)),
    ecdfChart(`${prefix}completion`, 'Completion', [curves.completionMs], e2eLimits(objective)),
  ].filter((chart) => chart !== null);
}

/** One measure at every load of a sweep, or at every run: what more load does to it. */
export function overlaidCharts(
  sides: readonly { readonly name: string; readonly curves: PointCurves }[],
  objective: Objective | null,
  prefix: string,
): Chart[] {
  const shown = spread(sides, SERIES_MAX);
  const named = (curveOf: (curves: PointCurves) => Curve): Curve[] =>
    shown.map(({ name, curves }) => ({ ...curveOf(curves), name }));
  return [
    ecdfChart(
      `${prefix}ttft`,
      'TTFT',
      named(({ ttftAllMs }) => ttftAllMs),
      ttftLimits(objective, null),
    ),
    ecdfChart(
      `${prefix}tpot`,
      'TPOT',
      named(({ tpotMs }) => tpotMs),
      tpotLimits(objective),
    ),
    ecdfChart(
      `${prefix}gap`,
      'Chunk gaps',
      named(({ gapMs }) => gapMs),
      gapLimits(objective),
    ),
  ].filter((chart) => chart !== null);
}

/** The points of a summary as sides of an overlay. */
export function loadSides(
  points: readonly PointSummary[],
  curves: readonly PointCurves[],
): { readonly name: string; readonly curves: PointCurves }[] {
  return points.flatMap((point) => {
    const own = curves.find(({ pointIndex }) => pointIndex === point.index);
    return own === undefined ? [] : [{ name: levelText(point.load), curves: own }];
  });
}

function ecdfChart(
  name: string,
  title: string,
  curves: readonly Curve[],
  limits: readonly Reference[],
): Chart | null {
  const seen = curves.filter(({ n }) => n > 0);
  if (seen.length === 0) return null;
  const series = seen.map((curve): XySeries => ({
    name: `${curve.name}, n ${countFigure(curve.n)}`,
    draw: 'steps',
    dots: false,
    points: curve.points,
  }));
  const bounds = limits.map(({ label }) => label).join(', ');
  return xyChart({
    name,
    title,
    description: `Share of values at or below each ${title}${bounds === '' ? '' : `; limits: ${bounds}`}. ${seen.map(curveWords).join(' ')}`,
    x: latencyAxis(title),
    y: { name: 'share at or below', ...SHARE_AXIS },
    series,
    references: limits,
  });
}

function curveWords({ name, n, points }: Curve): string {
  const at = (q: number): string => {
    const point = points.find(({ y }) => y !== null && y >= q - 1e-12);
    return point === undefined ? '' : msTick(point.x);
  };
  return `${name}: n ${countFigure(n)}, half within ${at(0.5)}, 95 % within ${at(0.95)}.`;
}

/** A line per limit; `buckets` are those that have requests, `null` = all. */
function ttftLimits(objective: Objective | null, buckets: ReadonlySet<string> | null): Reference[] {
  const limits = objective?.request.ttft ?? [];
  if (limits.length < 2) return limits.map(({ limitNs }) => limitAt(limitNs, ''));
  const byLimit = new Map<number, string[]>();
  for (const limit of limits) {
    const seen = buckets === null || buckets.has(bucketLabel(limit));
    const known = byLimit.get(limit.limitNs) ?? [];
    if (seen) byLimit.set(limit.limitNs, [...known, bucketLabel(limit)]);
  }
  return [...byLimit].map(([limitNs, names]) => limitAt(limitNs, `${names.join(', ')} `));
}

function tpotLimits(objective: Objective | null): Reference[] {
  const tpot = objective?.request.tpot ?? null;
  return tpot === null ? [] : [limitAt(tpot.limitNs, '')];
}

function gapLimits(objective: Objective | null): Reference[] {
  const gapMaxNs = objective?.request.gapMaxNs ?? null;
  return gapMaxNs === null ? [] : [limitAt(gapMaxNs, '')];
}

function e2eLimits(objective: Objective | null): Reference[] {
  const e2eNs = objective?.request.e2eNs ?? null;
  return e2eNs === null ? [] : [limitAt(e2eNs, '')];
}

function limitAt(limitNs: number, of: string): Reference {
  const at = limitNs / NS_PER_MS;
  return { axis: 'x', at, label: `${of}≤ ${msTick(at)}`, kind: 'limit' };
}

/** At most `most` of them, evenly, first and last included. */
function spread<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from(
    { length: most },
    (_, at) => items[Math.round((at * (items.length - 1)) / (most - 1))] as T,
  );
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
