/** The windows of a search and their summaries → what a capacity report says of them. */
import {
  type CapacityEstimate,
  type CapacityReport,
  type CapacityWindow,
  fittedAttainment,
  isUsable,
} from '../planner/index.ts';
import type { PointSummary } from '../summary/index.ts';

/** Windows this near the capacity, ln(load / capacity), show what binds there. */
const NEAR = 0.08;
/** Loads nearer than this are one row of the curve. */
const CURVE_STEP = 0.03;

type AtCapacity = NonNullable<CapacityReport['atCapacity']>;

/** A window with the summary of its records. */
export interface JudgedWindow {
  readonly window: CapacityWindow;
  readonly point: PointSummary;
}

/** Joins windows and summaries by load point; windows without records are left out. */
export function judgedWindows(
  windows: readonly CapacityWindow[],
  points: readonly PointSummary[],
): JudgedWindow[] {
  return windows.flatMap((window) => {
    const point = points.find(({ index }) => index === window.pointIndex);
    return point === undefined ? [] : [{ window, point }];
  });
}

/**
 * What binds at `level`, from the full windows near it, or from those nearest where none is near.
 * `null` without any.
 */
export function figuresAt(level: number, judged: readonly JudgedWindow[]): AtCapacity | null {
  const full = judged.filter(({ window }) => window.ending === 'full');
  const distance = ({ window }: JudgedWindow): number => Math.abs(Math.log(window.level / level));
  const nearest = Math.min(...full.map(distance));
  const points = full
    .filter((each) => distance(each) <= Math.max(NEAR, nearest))
    .map(({ point }) => point);
  if (points.length === 0) return null;
  const bad = sum(points, ({ attainment }) => attainment.offered - attainment.good);
  const offered = sum(points, ({ attainment }) => attainment.offered);
  const objective = mostOf(
    points.flatMap(({ misses }) =>
      misses.map(({ objective: name, missed }) => ({ name, count: missed })),
    ),
  );
  const bucket = mostOf(
    points.flatMap(({ promptBuckets }) =>
      promptBuckets.map(({ name, attainment }) => ({
        name,
        count: attainment.offered - attainment.good,
      })),
    ),
  );
  const inBucket = sum(points, ({ promptBuckets }) =>
    sum(
      promptBuckets.filter(({ name }) => name === bucket?.name),
      ({ attainment }) => attainment.offered,
    ),
  );
  const means = points.flatMap(({ inFlightMean }) => inFlightMean ?? []);
  const p99s = points.flatMap(({ inFlightP99 }) => inFlightP99 ?? []);
  return {
    windows: points.length,
    objective: objective?.name ?? null,
    objectiveMissShare: share(objective?.count ?? 0, bad),
    bucket: bucket?.name ?? null,
    bucketMissShare: share(bucket?.count ?? 0, bad),
    bucketOfferedShare: bucket === null ? null : share(inBucket, offered),
    inFlightMean: means.length === 0 ? null : sum(means, (mean) => mean) / means.length,
    inFlightP99: p99s.length === 0 ? null : Math.max(...p99s),
    ceilingDrops: sum(points, ({ dropReasons }) => dropReasons['ceiling'] ?? 0),
  };
}

/** Attainment by load, ascending; near loads of an open loop are pooled. */
export function attainmentCurve(
  windows: readonly CapacityWindow[],
  estimate: CapacityEstimate | null,
): CapacityReport['curve'] {
  const told = windows
    .filter((window) => isUsable(window) && window.offered > 0)
    .toSorted((a, b) => a.level - b.level);
  const groups: CapacityWindow[][] = [];
  for (const window of told) {
    const group = groups.at(-1);
    const first = group?.[0];
    const reach = estimate === null ? 0 : CURVE_STEP;
    if (group !== undefined && first !== undefined && window.level <= first.level * (1 + reach)) {
      group.push(window);
    } else {
      groups.push([window]);
    }
  }
  return groups.map((group) => {
    const offered = sum(group, (window) => window.offered);
    const good = sum(group, (window) => window.good);
    const level = sum(group, (window) => window.level * window.offered) / offered;
    return {
      level,
      windows: group.length,
      good,
      offered,
      share: good / offered,
      fittedShare: estimate === null ? null : fittedAttainment(estimate, level),
    };
  });
}

/** Population targets besides attainment, over the full windows up to `level`. */
export function otherTargets(
  level: number,
  judged: readonly JudgedWindow[],
): CapacityReport['otherTargets'] {
  const counts = new Map<string, CapacityReport['otherTargets'][number]>();
  for (const { window, point } of judged) {
    if (window.ending !== 'full' || window.level > level) continue;
    for (const { target, state } of point.population) {
      if (target.startsWith('attainment')) continue;
      const before = counts.get(target) ?? { target, met: 0, missed: 0, undecided: 0 };
      const key = state === 'notEnoughData' ? 'undecided' : state;
      counts.set(target, { ...before, [key]: before[key] + 1 });
    }
  }
  return [...counts.values()];
}

interface Count {
  readonly name: string;
  readonly count: number;
}

/** The name with the largest total; `null` when all totals are 0. */
function mostOf(counts: readonly Count[]): Count | null {
  const totals = new Map<string, number>();
  for (const { name, count } of counts) totals.set(name, (totals.get(name) ?? 0) + count);
  const [most] = [...totals].toSorted((a, b) => b[1] - a[1]);
  return most === undefined || most[1] === 0 ? null : { name: most[0], count: most[1] };
}

function share(part: number, of: number): number | null {
  return of === 0 ? null : Math.min(1, part / of);
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
