/** What happened when: requests one by one, and how many were in flight. */
import { type Chart, ganttChart, xyChart } from '../../charts/index.ts';
import type { PointSummary } from '../../summary/index.ts';
import { countFigure, levelFigure } from '../figures.ts';
import { countTick, secondsAxis } from './axes.ts';
import type { PointCurves } from './point-curves.ts';

/** The sample over the whole run and, where it is one, some requests in a row from the middle. */
export function requestsCharts(point: PointSummary, curves: PointCurves, prefix: string): Chart[] {
  const whole = requestsChart(point, curves, prefix);
  if (curves.rowEvery === 1 || curves.closeRows.length === 0) return [whole];
  const close = ganttChart({
    name: `${prefix}requests-close`,
    title: 'Requests in a row, from the middle of the run',
    description: `${countFigure(curves.closeRows.length)} requests one after another: planned, sent, first output, end.`,
    x: secondsAxis('time since the start of the run'),
    rows: curves.closeRows,
  });
  return [whole, close];
}

function requestsChart(point: PointSummary, curves: PointCurves, prefix: string): Chart {
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
  const [first, last] = [curves.inFlight[0], curves.inFlight.at(-1)];
  const window = first === undefined || last === undefined ? null : ([first.x, last.x] as const);
  return xyChart({
    name: `${prefix}in-flight`,
    title: 'In flight',
    description: `Requests in flight over time: mean ${levelFigure(point.inFlightMean)}, p99 ${levelFigure(point.inFlightP99)}.`,
    x: {
      ...secondsAxis('time since the start of the run'),
      ...(window !== null && { domain: window }),
    },
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
