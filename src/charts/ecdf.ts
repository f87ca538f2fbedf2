/** Empirical distribution functions, thinned so that a million values draw as fast as a hundred. */
import type { XyPoint } from './xy-chart.ts';

/** Points of one curve: more than a screen can tell apart. */
export const ECDF_POINTS_MAX = 400;

/** Quantiles that thinning never moves: the exact ones of the nearest-rank rule. */
const KEPT = [0.5, 0.9, 0.95, 0.99, 0.999] as const;

/**
 * The share of values at or below each value, of values that ascend. Every point lies on the exact
 * curve; between points at most 1/`ECDF_POINTS_MAX` of the values is left out, never an extreme.
 */
export function ecdfPoints(ascending: ArrayLike<number>): XyPoint[] {
  const n = ascending.length;
  if (n === 0) return [];
  const ranks = new Set<number>([1, n]);
  for (const q of KEPT) ranks.add(Math.max(1, Math.ceil(q * n)));
  const evenly = ECDF_POINTS_MAX - ranks.size;
  for (let at = 1; at <= evenly; at += 1) ranks.add(Math.max(1, Math.ceil((at * n) / evenly)));
  return [
    { x: ascending[0] as number, y: 0 },
    ...[...ranks]
      .toSorted((a, b) => a - b)
      .map((rank) => ({ x: ascending[rank - 1] as number, y: rank / n })),
  ];
}

/** Width of the bins of {@link BinnedValues}, as a share of the value. */
export const BIN_SHARE = 0.01;

/** Values too many to keep, counted in bins of 1 % of their value. */
export interface BinnedValues {
  add(value: number): void;
  /** As `ecdfPoints`; each x is the upper edge of its bin, so at most 1 % too high. */
  points(): XyPoint[];
  readonly count: number;
}

/** Values at or below 0 are counted as 0. */
export function createBins(): BinnedValues {
  const counts = new Map<number, number>();
  let total = 0;
  const step = Math.log1p(BIN_SHARE);
  return {
    add(value) {
      const bin = value > 0 ? Math.ceil(Math.log(value) / step) : -Infinity;
      counts.set(bin, (counts.get(bin) ?? 0) + 1);
      total += 1;
    },
    points() {
      const bins = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
      let below = 0;
      const all = bins.map(([bin, count]) => {
        below += count;
        return { x: bin === -Infinity ? 0 : Math.exp(bin * step), y: below / total };
      });
      const first = all[0];
      return first === undefined ? [] : [{ x: first.x, y: 0 }, ...thinned(all)];
    },
    get count() {
      return total;
    },
  };
}

function thinned(points: readonly XyPoint[]): XyPoint[] {
  const every = Math.ceil(points.length / ECDF_POINTS_MAX);
  return points.filter((_, at) => at % every === 0 || at === points.length - 1);
}
