/** Which objective cost how many requests. */
import type { ObjectiveName } from '../slo/index.ts';
import type { RequestRow } from './request-row.ts';
import type { PointSummary } from './summary.ts';

const ORDER: readonly ObjectiveName[] = [
  'ttft',
  'firstAnswer',
  'tpot',
  'gapMax',
  'gapQuantile',
  'e2e',
  'outputTokens',
  'correctness',
];

/**
 * Misses by objective among the requests judged, and how many missed only that one: relaxing it
 * would have made exactly those good, unless something in them is unknown.
 */
export function missesOf(rows: readonly RequestRow[]): PointSummary['misses'] {
  return ORDER.flatMap((objective) => {
    const counts = { missed: 0, soleMiss: 0, unknown: 0, notApplicable: 0 };
    const reasons: Record<string, number> = {};
    let asked = false;
    for (const row of rows) {
      const result = row.objectives.find((entry) => entry.objective === objective);
      if (result === undefined) continue;
      const { state, reason } = result;
      asked = true;
      if (state === 'met') continue;
      counts[state] += 1;
      if (state !== 'missed') continue;
      if (reason !== null) reasons[reason] = (reasons[reason] ?? 0) + 1;
      const missed = row.objectives.filter((entry) => entry.state === 'missed');
      if (missed.length === 1) counts.soleMiss += 1;
    }
    return asked ? [{ objective, ...counts, reasons }] : [];
  });
}
