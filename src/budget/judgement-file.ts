/** What `goodput judge LOGS --format json` wrote → counts of windows, and the targets it judged by. */
import type { PopulationObjective } from '../slo/index.ts';

/** The targets that a budget is of, as a judgement holds them. */
export type BudgetTargets = Pick<
  PopulationObjective,
  'attainmentShare' | 'successShare' | 'periodNs'
>;

/** Counts as they are read of a file: not yet checked. */
export interface JudgedCounts {
  /** One a window of time, its strata pooled; none where the logs were not cut by time. */
  readonly rows: readonly object[];
  readonly targets: BudgetTargets;
}

/** `null` when the value is no judgement of logs. What is broken in its windows stays so. */
export function judgedCounts(value: unknown): JudgedCounts | null {
  const judgement = objectOf(value);
  if (judgement['kind'] !== 'logJudgement') return null;
  const windows = objectOf(judgement['table'])['windows'];
  const population = objectOf(objectOf(judgement['objective'])['population']);
  return {
    rows: pooled((Array.isArray(windows) ? windows : []).map(rowOf)),
    targets: {
      attainmentShare: numberOf(population['attainmentShare']),
      successShare: numberOf(population['successShare']),
      periodNs: numberOf(population['periodNs']),
    },
  };
}

const COUNTS = ['offered', 'good', 'bad', 'excluded', 'unjudged', 'failed', 'incorrect'] as const;

interface Row extends Readonly<Record<(typeof COUNTS)[number], number>> {
  readonly windowStart: unknown;
  readonly windowEnd: unknown;
}

function rowOf(value: unknown): Row {
  const window = objectOf(value);
  const { offered, good, unjudged } = objectOf(window['attainment']);
  const { from, to, excluded, failed, incorrect } = window;
  // What is no number stays none, and is then refused as any broken count is.
  const countOf = (count: unknown): number => numberOf(count) ?? Number.NaN;
  const counts = {
    offered: countOf(offered),
    good: countOf(good),
    unjudged: countOf(unjudged),
    excluded: countOf(excluded),
    failed: countOf(failed),
    incorrect: countOf(incorrect),
  };
  const bad = counts.offered - counts.good - counts.unjudged;
  return { windowStart: from, windowEnd: to, ...counts, bad };
}

/** Strata of the same time add up. */
function pooled(rows: readonly Row[]): Row[] {
  const byTime = new Map<string, Row>();
  for (const row of rows) {
    const key = `${String(row.windowStart)} ${String(row.windowEnd)}`;
    const before = byTime.get(key);
    byTime.set(key, before === undefined ? row : sumOf(before, row));
  }
  return [...byTime.values()];
}

function sumOf(a: Row, b: Row): Row {
  const sums = COUNTS.map((name) => [name, a[name] + b[name]]);
  return { ...a, ...(Object.fromEntries(sums) as Pick<Row, (typeof COUNTS)[number]>) };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
