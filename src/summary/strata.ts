/** The same figures for parts of a population that must not be mixed. */
import { attainmentOfRows } from './attainment.ts';
import { ledgerOf } from './ledger.ts';
import { batchOf, type Inference } from './inference.ts';
import { type OrderedValues, quantileSummary } from './quantile-summary.ts';
import type { RequestRow } from './request-row.ts';
import type { QuantileSummary, StratumSummary, Window } from './summary.ts';

/** What figures are taken over: the name of the window, and what it can say beyond itself. */
export interface Population {
  readonly window: Window['kind'];
  readonly inference: Inference;
}

/** Quantiles of one measure over the completed requests among `rows`. */
export function completedQuantiles(
  rows: readonly RequestRow[],
  of: Population,
  valueOf: (row: RequestRow) => number | null,
): QuantileSummary {
  const completed = rows.filter((row) => row.outcome === 'completed');
  const { window, inference } = of;
  return quantileSummary(orderedValues(inference, completed, valueOf), {
    window,
    population: 'completed',
    populationCount: completed.length,
  });
}

/** The observed values of `rows`, each with its batch. */
export function orderedValues(
  inference: Inference,
  rows: readonly RequestRow[],
  valueOf: (row: RequestRow) => number | null,
): OrderedValues {
  const values: number[] = [];
  const batches: number[] = [];
  for (const row of rows) {
    const value = valueOf(row);
    if (value === null) continue;
    values.push(value);
    batches.push(batchOf(inference, row));
  }
  return { inference, values, batches };
}

/** The values that were observed. */
export function observed(
  rows: readonly RequestRow[],
  valueOf: (row: RequestRow) => number | null,
): number[] {
  return rows.map(valueOf).filter((value) => value !== null);
}

/**
 * Splits `rows` by a name and summarises each part. Every row is in exactly one part, so the parts'
 * ledgers add up to the whole. Named orders come first, in their order; the rest by name.
 */
export function strataBy(
  rows: readonly RequestRow[],
  of: Population,
  nameOf: (row: RequestRow) => string,
  order: readonly string[] = [],
): StratumSummary[] {
  const parts = new Map<string, RequestRow[]>();
  for (const row of rows) {
    const name = nameOf(row);
    const part = parts.get(name);
    if (part === undefined) parts.set(name, [row]);
    else part.push(row);
  }
  const rank = (name: string): number => {
    const at = order.indexOf(name);
    return at < 0 ? order.length : at;
  };
  return [...parts]
    .toSorted(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map(([name, part]) => stratum(name, part, of));
}

function stratum(name: string, rows: readonly RequestRow[], of: Population): StratumSummary {
  return {
    name,
    ledger: ledgerOf(rows),
    attainment: attainmentOfRows(rows, of.inference),
    ttftFromPlannedNs: completedQuantiles(rows, of, (row) => row.ttftFromPlannedNs),
    tpotNs: completedQuantiles(rows, of, (row) => row.tpotNs),
    completionNs: completedQuantiles(rows, of, (row) => row.completionNs),
  };
}
