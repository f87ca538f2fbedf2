/** What two sides are compared by. */
import { assert, parseShare } from '../base/index.ts';
import { parseBucket } from '../slo/index.ts';

/**
 * - `relative`: differences of logarithms, told as a change of B against A;
 * - `totals`: differences over the mean of A, which is the change of the total; may be zero;
 * - `points`: differences of shares.
 */
export type MetricScale = 'relative' | 'totals' | 'points';

/** `service`: how well requests were served. `quality`: whether the answers are the same at all. */
export type MetricGroup = 'service' | 'quality';

export interface Metric {
  /** Machine word, as hypotheses name it: `p95(ttft)`, `attainment[4k-16k]`. */
  readonly name: string;
  readonly group: MetricGroup;
  readonly scale: MetricScale;
  readonly better: 'higher' | 'lower' | 'neither';
}

/** Differences smaller than these do not matter, whether or not they are shown. Shares above 0. */
export interface MinimumEffects {
  /** Of `relative` and `totals` metrics. */
  readonly relativeShare: number;
  /** Of `points` metrics. */
  readonly pointsShare: number;
}

export const DEFAULT_MINIMUM_EFFECTS: MinimumEffects = { relativeShare: 0.02, pointsShare: 0.01 };

const PLAIN: readonly Metric[] = [
  { name: 'capacity', group: 'service', scale: 'relative', better: 'higher' },
  { name: 'goodput', group: 'service', scale: 'totals', better: 'higher' },
  { name: 'attainment', group: 'service', scale: 'points', better: 'higher' },
  { name: 'failures', group: 'service', scale: 'points', better: 'lower' },
  { name: 'p50(ttft)', group: 'service', scale: 'relative', better: 'lower' },
  { name: 'p95(ttft)', group: 'service', scale: 'relative', better: 'lower' },
  { name: 'p50(tpot)', group: 'service', scale: 'relative', better: 'lower' },
  { name: 'p95(tpot)', group: 'service', scale: 'relative', better: 'lower' },
  { name: 'incorrect', group: 'quality', scale: 'points', better: 'lower' },
  { name: 'outputTokens', group: 'quality', scale: 'relative', better: 'neither' },
];

/** The names of metrics that are the same for every workload. */
export const METRIC_NAMES: readonly string[] = PLAIN.map(({ name }) => name);

/** `attainment[4k-16k]` → `4k-16k`, `finish[length]` → `length`. */
const PART = /^(attainment|finish)\[([^\]]+)\]$/;

/** The metric of that name: a plain one, or a part such as a prompt bucket; `null` for others. */
export function metricNamed(name: string): Metric | null {
  const plain = PLAIN.find((metric) => metric.name === name);
  if (plain !== undefined) return plain;
  const [, kind, part = ''] = PART.exec(name) ?? [];
  if (kind === 'finish') return { name, group: 'quality', scale: 'points', better: 'neither' };
  if (kind !== 'attainment' || (parseBucket(part) === null && part !== 'unknown')) return null;
  return { name, group: 'service', scale: 'points', better: 'higher' };
}

/** As {@link metricNamed}, of a name that this room made. */
export function knownMetric(name: string): Metric {
  const metric = metricNamed(name);
  assert(metric !== null, `no metric ${name}`);
  return metric;
}

/** Metrics in the order of the table, parts after their whole. */
export function inMetricOrder(names: Iterable<string>): string[] {
  const rank = (name: string): number => {
    const whole = name.startsWith('finish[') ? 'outputTokens' : name.replace(/\[.*$/, '');
    return METRIC_NAMES.indexOf(whole);
  };
  // Stable: parts stay in the order in which they came, as their strata are.
  return [...names].toSorted(
    (a, b) => rank(a) - rank(b) || Number(PART.test(a)) - Number(PART.test(b)),
  );
}

/** The minimum effect that applies to a metric. */
export function minimumEffectOf(metric: Metric, effects: MinimumEffects): number {
  return metric.scale === 'points' ? effects.pointsShare : effects.relativeShare;
}

/** `+3%`, `-0.5%`, `2%` → a signed share; `null` when it is none. */
export function parseSignedShare(text: string): number | null {
  const [, sign, size = ''] = /^([-+−]?)(.+%)$/.exec(text.trim()) ?? [];
  const share = parseShare(size);
  if (share === null) return null;
  return sign === '-' || sign === '−' ? -share : share;
}
