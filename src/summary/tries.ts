/** The same load counted by try, beside its requests: what the client's retries made of it. */
import { secondsFromNs } from '../base/index.ts';
import { attainmentOfRows } from './attainment.ts';
import type { Inference } from './inference.ts';
import { failureClassesOf, ledgerOf } from './ledger.ts';
import { isJudged, type PointSpan } from './rates.ts';
import type { RequestRow } from './request-row.ts';
import type { TriesSummary, Window } from './summary.ts';

/** What the tries of a point are held against. */
export interface TriesContext {
  readonly point: PointSpan;
  /** Of the offering. */
  readonly window: Window;
  readonly inference: Inference;
}

/**
 * `requests`: one row a request; `tries`: the rows of all tries that were made of them, the only ones
 * of their request included.
 */
export function triesSummary(
  requests: readonly RequestRow[],
  tries: readonly RequestRow[],
  { point, window, inference }: TriesContext,
): TriesSummary {
  const sent = tries.filter(wasSent);
  const sentRequests = requests.filter(wasSent);
  const retried = requests.filter((row) => (row.joinedTries ?? 1) > 1);
  const seconds = secondsFromNs(window.toNs - window.fromNs);
  const inWindow = sent.filter(
    ({ plannedNs }) => plannedNs >= window.fromNs && plannedNs < window.toNs,
  );
  const judged = tries.filter((row) => isJudged(row.plannedNs, point));
  return {
    sent: sent.length,
    requests: sentRequests.length,
    amplification: sentRequests.length === 0 ? null : sent.length / sentRequests.length,
    sentRps: seconds > 0 ? inWindow.length / seconds : null,
    retried: retried.length,
    recovered: retried.filter(({ outcome }) => outcome === 'completed').length,
    most: requests.reduce((most, row) => Math.max(most, row.joinedTries ?? 1), 0),
    ledger: ledgerOf(tries),
    failureClasses: failureClassesOf(tries),
    attainment: attainmentOfRows(judged, { ...inference, count: judged.length }),
  };
}

function wasSent(row: RequestRow): boolean {
  return row.dispatchedNs !== null;
}
