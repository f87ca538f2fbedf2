/** Throughput against latency: which settings and loads no other beats. */
import { type Chart, type XyPoint, xyChart } from '../../charts/index.ts';
import type { ParetoPoint, ParetoResult } from '../../planner/index.ts';
import { levelFigure } from '../figures.ts';
import { axesText, gainName, latencyName } from '../pareto-rows.ts';
import { countTick, msTick } from './axes.ts';

export function paretoChart(result: ParetoResult, prefix: string): Chart {
  const { axes, points } = result;
  const at = (place: ParetoPoint['place']): XyPoint[] =>
    points
      .filter((point) => point.place === place)
      .flatMap((point) => placeOf(point, axes) ?? [])
      .toSorted((a, b) => a.x - b.x);
  return xyChart({
    name: `${prefix}pareto`,
    title: 'Throughput against latency',
    description: `${axesText(result)}.`,
    x: { name: latencyName(axes), kind: 'linear', format: msTick },
    y: { name: gainName(axes), kind: 'linear', format: countTick },
    series: [
      { name: 'frontier', draw: 'line', dots: true, points: at('frontier') },
      { name: 'dominated', draw: 'points', dots: true, points: at('dominated'), tone: 's7' },
      {
        name: 'outside the objective',
        draw: 'points',
        dots: true,
        points: at('outside'),
        tone: 'bad',
      },
    ],
    references: [],
  });
}

function placeOf(point: ParetoPoint, axes: ParetoResult['axes']): XyPoint | null {
  const y = axes.gain === 'outputTokens' ? point.outputTokensPerSecond : point.goodRps;
  const latencyNs = axes.latency === 'tpotP50' ? point.tpotP50Ns : point.ttftP95Ns;
  if (y === null || latencyNs === null) return null;
  const batch = point.batch === null ? '' : `batch ${point.batch}, `;
  const x = latencyNs / 1e6;
  return {
    x,
    y,
    tip: `${batch}${point.load}: ${levelFigure(y)} ${gainName(axes)} at ${msTick(x)}`,
  };
}
