/** Attainment of a population of requests: the share that met all their objectives. */
import { attainmentOf, type Attainment, type VerdictTally } from '../slo/index.ts';
import type { TimeBatch } from '../stats/index.ts';
import { batchesOf, type Inference, shareUncertainty } from './inference.ts';
import type { RequestRow } from './request-row.ts';

/**
 * Attainment of `rows`, over what was offered or, by name, over what was admitted. Without an
 * `inference` it has no interval.
 */
export function attainmentOfRows(
  rows: readonly RequestRow[],
  inference: Inference | null,
  denominator: Attainment['denominator'] = 'offered',
): Attainment {
  const tally: { -readonly [Name in keyof VerdictTally]: number } = {
    good: 0,
    bad: 0,
    unjudged: 0,
    excluded: 0,
    dropped: 0,
  };
  for (const row of rows) {
    tally[row.verdict] += 1;
    if (row.outcome === 'dropped') tally.dropped += 1;
  }
  if (inference === null) return attainmentOf(tally, denominator);
  const batches = batchesOf(inference, rows, (row) => attainmentCounts(row, denominator));
  return attainmentOf(tally, denominator, shareUncertainty(inference, batches));
}

/** What one request adds to attainment. */
export function attainmentCounts(
  row: RequestRow,
  denominator: Attainment['denominator'] = 'offered',
): TimeBatch {
  const isLeftOut =
    row.verdict === 'excluded' || (denominator === 'admitted' && row.outcome === 'dropped');
  return { good: row.verdict === 'good' ? 1 : 0, offered: isLeftOut ? 0 : 1 };
}
