/** Several windows of one load, as replications of each other. */
import {
  REPLICATIONS_LEAST,
  REPLICATIONS_METHOD,
  replicatedShareEstimate,
} from '../stats/index.ts';
import type { PointSummary } from '../summary/index.ts';
import { NO_INTERVAL_MARK } from './certainty.ts';
import { countFigure, shareFigure, shareRange } from './figures.ts';
import { levelText } from './words.ts';

/**
 * For each load that was measured five times or more, what its windows say together: their
 * attainment, and its interval by what differs between them. Windows whose backlog grew have none.
 */
export function pooledLoadLines(points: readonly PointSummary[]): string[] {
  const loads = new Set(points.map(({ load }) => levelText(load)));
  return [...loads]
    .map((name) => [name, points.filter(({ load }) => levelText(load) === name)] as const)
    .filter(([, windows]) => windows.length >= REPLICATIONS_LEAST)
    .map(([load, windows]) => `${windows.length} windows of ${load}: ${pooledText(windows)}`);
}

function pooledText(windows: readonly PointSummary[]): string {
  const totals = windows.map(({ attainment: { good, offered } }) => ({ good, offered }));
  const sumOf = (valueOf: (point: PointSummary) => number): number =>
    windows.reduce((sum, point) => sum + valueOf(point), 0);
  const offered = sumOf(({ attainment }) => attainment.offered);
  if (offered === 0) return 'nothing was offered';
  const share = sumOf(({ attainment }) => attainment.good) / offered;
  const looks = sumOf(({ attainment }) => attainment.dependence?.looks ?? 0);
  const isSteady = windows.every(({ backlogGrowing }) => !backlogGrowing);
  const estimate =
    isSteady && looks > 0
      ? replicatedShareEstimate(
          totals.map((total) => [total]),
          Math.max(1, offered / looks),
        )
      : null;
  const interval = estimate?.interval ?? null;
  const seen = `${shareFigure(share)} of ${countFigure(offered)} good`;
  return interval === null
    ? `${NO_INTERVAL_MARK}${seen}`
    : `${seen} (${shareRange(interval.low, interval.high)}; ${REPLICATIONS_METHOD})`;
}
