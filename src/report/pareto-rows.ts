/** What the terminal and the Markdown page say of a frontier. */
import type { ParetoPoint, ParetoResult } from '../planner/index.ts';
import { countFigure, durationFigure, levelFigure, NOT_OBSERVED, shareFigure } from './figures.ts';

/** Column heads and cells of the frontier; `all`, or an empty frontier, shows every point. */
export function paretoTable(
  result: ParetoResult,
  all: boolean,
): { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] } {
  const hasBatch = result.points.some(({ batch }) => batch !== null);
  const hasGpus = result.gpus !== null;
  const frontier = result.points.filter(({ place }) => place === 'frontier');
  const shown = all || frontier.length === 0 ? result.points : frontier;
  const hasPlaces = shown !== frontier;
  return {
    head: [
      ...(hasBatch ? ['batch'] : []),
      'load',
      'out tok/s',
      ...(hasGpus ? ['per GPU'] : []),
      'tok/s user',
      'TPOT p50',
      'TTFT p95',
      'good/s',
      'attained',
      'draws',
      ...(hasPlaces ? ['place'] : []),
    ],
    rows: shown.map((point) => [
      ...(hasBatch ? [point.batch === null ? NOT_OBSERVED : countFigure(point.batch)] : []),
      point.load,
      levelFigure(point.outputTokensPerSecond),
      ...(hasGpus ? [levelFigure(point.outputTokensPerSecondPerGpu)] : []),
      levelFigure(point.userTps),
      durationFigure(point.tpotP50Ns),
      durationFigure(point.ttftP95Ns),
      levelFigure(point.goodRps),
      shareFigure(point.attainmentShare),
      countFigure(point.draws),
      ...(hasPlaces ? [placeText(point)] : []),
    ]),
  };
}

/** Its place; of one that has none, why. */
function placeText({ place, target, reason }: ParetoPoint): string {
  if (place === 'outside') return target === 'missed' ? 'missed' : 'too few requests';
  return reason ?? place;
}

/** `output tok/s against TPOT p50: the points within the objective that no other beats, …`. */
export function axesText({ axes, drawsAsked, points }: ParetoResult): string {
  const draws = drawsAsked === 1 ? '' : `; each drawn ${drawsAsked} times, the middle shown`;
  const within = points.some(({ target }) => target !== null) ? ' within the objective' : '';
  return `${gainName(axes)} against ${latencyName(axes)}: the points${within} that no other beats${draws}; figures as seen, without intervals`;
}

export function gainName(axes: ParetoResult['axes']): string {
  return axes.gain === 'outputTokens' ? 'output tok/s' : 'good requests/s';
}

export function latencyName(axes: ParetoResult['axes']): string {
  return axes.latency === 'tpotP50' ? 'TPOT p50' : 'TTFT p95';
}

/** What became of the points that are not on the frontier. */
export function removedText(result: ParetoResult): string {
  const reasons = new Map<string, number>();
  for (const { reason } of result.points) {
    if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const parts = [
    `${result.dominatedCount} dominated or equal`,
    ...(result.outsideCount === 0 ? [] : [`${result.outsideCount} outside the objective`]),
    ...[...reasons].map(([reason, count]) => `${count} left out: ${reason}`),
  ];
  return `of ${result.points.length} points ${parts.join(', ')}`;
}

/** The point of the frontier that gives most; `null` when nothing was asked. */
export function bestText(result: ParetoResult): string | null {
  const { axes, points } = result;
  if (points.every(({ target }) => target === null)) return null;
  const gainOf = (point: ParetoPoint): number =>
    (axes.gain === 'outputTokens' ? point.outputTokensPerSecond : point.goodRps) ?? 0;
  const [best] = points
    .filter(({ place }) => place === 'frontier')
    .toSorted((a, b) => gainOf(b) - gainOf(a));
  if (best === undefined) return 'no point met the objective in every draw';
  const batch = best.batch === null ? '' : `batch ${countFigure(best.batch)}, `;
  const latencyNs = axes.latency === 'tpotP50' ? best.tpotP50Ns : best.ttftP95Ns;
  return `most within the objective: ${batch}${best.load}: ${levelFigure(gainOf(best))} ${gainName(axes)} at ${latencyName(axes)} ${durationFigure(latencyNs)}`;
}

/** How far the draws of the frontier's points lie apart, at most; `null` of single draws. */
export function spreadText(result: ParetoResult): string | null {
  const spreads = result.points
    .filter(({ place, draws }) => place === 'frontier' && draws > 1)
    .flatMap(({ spread }) => spread ?? []);
  if (spreads.length === 0) return null;
  const widest = (rangeOf: (spread: (typeof spreads)[number]) => { low: number; high: number }) =>
    Math.max(
      ...spreads.map((spread) => {
        const { low, high } = rangeOf(spread);
        return high === 0 ? 0 : (high - low) / high;
      }),
    );
  return `draws of a point lie up to ${shareFigure(widest(({ gain }) => gain))} apart in ${gainName(result.axes)} and ${shareFigure(widest(({ latencyNs }) => latencyNs))} in ${latencyName(result.axes)}`;
}
