/** Attainment of a population of requests: the share that met all their objectives. */
import { attainmentOf, type Attainment, type VerdictTally } from '../slo/index.ts';
import type { RequestRow } from './request-row.ts';

/** Attainment of `rows`, over what was offered or, by name, over what was admitted. */
export function attainmentOfRows(
  rows: readonly RequestRow[],
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
  return attainmentOf(tally, denominator);
}
