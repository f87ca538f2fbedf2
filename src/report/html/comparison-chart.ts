/** Two sides: every metric's change with its interval. */
import { type Chart, changeChart } from '../../charts/index.ts';
import type { Comparison, MetricComparison } from '../../comparison/index.ts';
import { changeText, intervalText, verdictText } from '../comparison-words.ts';
import { percentTick } from './axes.ts';

/** `null` when nothing was compared. */
export function comparisonChart(comparison: Comparison, prefix: string): Chart | null {
  const rows = comparison.metrics.flatMap((metric) => rowOf(metric) ?? []);
  if (rows.length === 0) return null;
  return changeChart({
    name: `${prefix}changes`,
    title: 'Change from A to B',
    description: `Change of ${rows.length} metrics from A to B with 95 % intervals; left of the line B has less.`,
    x: { name: 'change, B against A', kind: 'linear', format: signed, tickCount: 5 },
    rows,
  });
}

function rowOf(metric: MetricComparison) {
  const { metric: name, change, interval, verdict } = metric;
  if (change === null) return null;
  return {
    name,
    change: change,
    low: interval === null ? null : interval.low,
    high: interval === null ? null : interval.high,
    tone: verdict === 'worse' ? 'bad' : verdict === 'better' ? 'good' : 's7',
    tip: `${name}: ${changeText(metric)}, 95 % interval ${intervalText(metric)}, ${verdictText(verdict)}`,
  };
}

function signed(share: number): string {
  return share > 0 ? `+${percentTick(share)}` : percentTick(share).replace('-', '−');
}
