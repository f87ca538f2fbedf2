/** What happened when: requests one by one, and how many were in flight. */
import { type Chart, ganttChart, xyChart } from '../../charts/index.ts';
import type { PointSummary } from '../../summary/index.ts';
import { countFigure, levelFigure } from '../figures.ts';
import { countTick, secondsAxis } from './axes.ts';
import type { PointCurves } from './point-curves.ts';

export function requestsChart(point: PointSummary, curves: PointCurves, prefix: string): Chart {
  return ganttChart({
    name: `${prefix}requests`,
    title: 'Requests over time',
    description: `${sampleText(point, curves)} From planned to sent, to the first output, to the end.`,
    x: secondsAxis('time since the start of the run'),
    rows: curves.rows,
  });
}

/** `every 9th request, 112 of 1,000`. */
export function sampleText({ ledger }: PointSummary, { rows, rowEvery }: PointCurves): string {
  return rowEvery === 1
    ? `All ${countFigure(rows.length)} requests, a row each.`
    : `A sample: every ${ordinal(rowEvery)} request of the schedule, ${countFigure(rows.length)} of ${countFigure(ledger.scheduled)}.`;
}

export function inFlightChart(point: PointSummary, curves: PointCurves, prefix: string): Chart {
  const { untilNs } = point.warmUp;
  return xyChart({
    name: `${prefix}in-flight`,
    title: 'In flight',
    description: `Requests in flight over time: mean ${levelFigure(point.inFlightMean)}, p99 ${levelFigure(point.inFlightP99)}.`,
    x: secondsAxis('time since the start of the run'),
    y: { name: 'requests in flight', kind: 'linear', format: countTick },
    series: [
      { name: 'in flight, mean of each bin', draw: 'area', dots: false, points: curves.inFlight },
    ],
    references:
      untilNs === null
        ? []
        : [{ axis: 'x', at: untilNs / 1e9, label: 'end of warm-up', kind: 'target' }],
  });
}

function ordinal(count: number): string {
  const teen = count % 100 >= 11 && count % 100 <= 13;
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${countFigure(count)}${ending}`;
}
