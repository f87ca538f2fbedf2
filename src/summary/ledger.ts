/** The accounting identity: every request that was due is in exactly one column. */
import { assert } from '../base/index.ts';
import type { RequestRow } from './request-row.ts';
import type { Ledger } from './summary.ts';

/**
 * Counts the outcomes of requests that were due and asserts the identity. `notReached` stays
 * outside it: the run stopped before those were due.
 */
export function ledgerOf(rows: readonly RequestRow[], notReached = 0): Ledger {
  const counts = { dropped: 0, refused: 0, failed: 0, cancelled: 0, timedOut: 0, completed: 0 };
  for (const row of rows) counts[row.outcome] += 1;
  const ledger = { scheduled: rows.length, ...counts, notReached };
  assertLedger(ledger);
  return ledger;
}

/** Crashes unless scheduled = dropped + refused + failed + cancelled + timedOut + completed. */
export function assertLedger(ledger: Ledger): void {
  const { dropped, refused, failed, cancelled, timedOut, completed } = ledger;
  const sum = dropped + refused + failed + cancelled + timedOut + completed;
  assert(
    ledger.scheduled === sum,
    `the ledger does not add up: ${ledger.scheduled} scheduled, ${sum} accounted for`,
  );
}

/** Requests due in the point and never sent, by reason. */
export function dropReasonsOf(rows: readonly RequestRow[]): Record<string, number> {
  return countsBy(rows.flatMap((row) => (row.dropReason === null ? [] : [row.dropReason])));
}

/** Failures by class, refusals apart: those are not failures. */
export function failureClassesOf(rows: readonly RequestRow[]): Record<string, number> {
  return countsBy(
    rows.flatMap((row) => (row.outcome === 'failed' && row.failure !== null ? [row.failure] : [])),
  );
}

/** How the answers ended, of the completed; one that did not say is `none`. */
export function finishReasonsOf(rows: readonly RequestRow[]): Record<string, number> {
  const completed = rows.filter((row) => row.outcome === 'completed');
  return countsBy(completed.map((row) => row.finishReason ?? 'none'));
}

/** Requests left unjudged, by the first part that was unknown and why. */
export function unjudgedReasonsOf(rows: readonly RequestRow[]): Record<string, number> {
  return countsBy(rows.flatMap((row) => (row.unjudgedReason === null ? [] : [row.unjudgedReason])));
}

/** Words with their counts, most frequent first, then by name. */
function countsBy(words: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries(
    [...counts].toSorted(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1)),
  );
}
