/** What a capacity search found: attainment by load, the fit, and the capacity with its interval. */
import { type Chart, type Reference, xyChart } from '../../charts/index.ts';
import type { CapacityReport } from '../../planner/index.ts';
import { countFigure, shareFigure } from '../figures.ts';
import { countTick, loadAxis, percentTick, SHARE_AXIS } from './axes.ts';

export function capacityChart(report: CapacityReport, prefix: string): Chart {
  const { capacity, curve, plan } = report;
  const references: Reference[] = [
    {
      axis: 'y',
      at: plan.targetShare,
      label: `target ${percentTick(plan.targetShare)}`,
      kind: 'limit',
    },
    ...reference(capacity?.rps ?? report.ladder?.largestStreams ?? null, 'capacity'),
    ...reference(capacity?.lowRps ?? null, 'low'),
    ...reference(capacity?.highRps ?? null, 'high'),
  ];
  const fitted = curve.filter(({ fittedShare }) => fittedShare !== null);
  return xyChart({
    name: `${prefix}capacity`,
    title: 'Attainment by load in the search',
    description: `Attainment of ${curve.length} loads that the search measured, the fitted curve, and where it crosses the target.`,
    x: loadAxis(plan.kind === 'open' ? 'rate' : 'concurrency'),
    y: { name: 'good of offered', ...SHARE_AXIS },
    series: [
      {
        name: 'measured, windows pooled',
        draw: 'points',
        dots: true,
        points: curve.map(({ level, share, good, offered, windows }) => ({
          x: level,
          y: share,
          tip: `${countTick(level)}: ${shareFigure(share)}, ${countFigure(good)} of ${countFigure(offered)} in ${windows} windows`,
        })),
      },
      {
        name: 'fit',
        draw: 'line',
        dots: false,
        points: fitted.map(({ level, fittedShare }) => ({ x: level, y: fittedShare })),
      },
    ],
    references,
  });
}

function reference(at: number | null, word: string): Reference[] {
  return at === null ? [] : [{ axis: 'x', at, label: `${word} ${countTick(at)}`, kind: 'target' }];
}
