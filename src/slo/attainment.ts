/** From verdicts to the two shares that matter, and to goodput. Pure counting. */
import { NS_PER_SECOND } from '../base/index.ts';
import { type ConfidenceInterval, type Dependence, wilsonInterval } from '../stats/index.ts';
import type { Judgement } from './judgement.ts';

/** Counts of verdicts over one population. Requests that were not reached are in none. */
export interface VerdictTally {
  readonly good: number;
  /** Dropped requests included. */
  readonly bad: number;
  readonly unjudged: number;
  /** Refused, seen as the operator. */
  readonly excluded: number;
  /** Of the bad, those never sent. */
  readonly dropped: number;
}

/** How sure a share of requests is; they share a queue, so counts alone do not tell. */
export interface Uncertainty {
  /** Holds although requests hang together; `null` when none can be stated. */
  readonly interval: ConfidenceInterval | null;
  /** `null` when nothing was offered or the order of the requests is not known. */
  readonly dependence: Dependence | null;
  /** Why there is no interval; `null` when there is one. */
  readonly noInterval: MissingInterval | null;
}

/**
 * - `tooLittleData`: the window holds too few independent looks at the queue;
 * - `growingBacklog`: the share depends on how long the window was.
 */
export interface MissingInterval {
  readonly reason: 'tooLittleData' | 'growingBacklog';
  /** About how much longer at the same load would do; `null` = not known. */
  readonly moreSeconds: number | null;
}

/** The share of requests that met all their objectives, with its denominator and its doubt. */
export interface Attainment extends Uncertainty {
  readonly good: number;
  /** Size of the denominator: scheduled − excluded, and − dropped where it is `admitted`. */
  readonly offered: number;
  readonly unjudged: number;
  /** good / offered, unknown counted as bad; `null` when nothing was offered. */
  readonly share: number | null;
  /** All unjudged bad … all unjudged good. */
  readonly unknownBounds: { readonly low: number; readonly high: number } | null;
  /** Wilson's on the raw counts: right only if requests were independent, which they are not. */
  readonly intervalIfIndependent: ConfidenceInterval | null;
  readonly denominator: 'offered' | 'admitted';
}

/** Counts the verdicts of one population. */
export function tallyVerdicts(judgements: Iterable<Judgement>): VerdictTally {
  const tally = { good: 0, bad: 0, unjudged: 0, excluded: 0, dropped: 0 };
  for (const { outcome, verdict } of judgements) {
    if (outcome === 'notReached') continue;
    tally[verdict] += 1;
    if (outcome === 'dropped') tally.dropped += 1;
  }
  return tally;
}

/**
 * Attainment of a tally. Over `offered` it is the SLI: what was due, dropped requests counted as
 * misses. Over `admitted` it is what the requests that were sent saw. A tally knows no order, so the
 * interval that holds comes from whoever does.
 */
export function attainmentOf(
  tally: VerdictTally,
  denominator: Attainment['denominator'] = 'offered',
  uncertainty: Uncertainty = ORDER_UNKNOWN,
): Attainment {
  const { good, bad, unjudged, dropped } = tally;
  const offered = good + bad + unjudged - (denominator === 'admitted' ? dropped : 0);
  const share = offered === 0 ? null : good / offered;
  return {
    good,
    offered,
    unjudged,
    share,
    unknownBounds: share === null ? null : { low: share, high: (good + unjudged) / offered },
    ...uncertainty,
    intervalIfIndependent: wilsonInterval(good, offered),
    denominator,
  };
}

const ORDER_UNKNOWN: Uncertainty = {
  interval: null,
  dependence: null,
  noInterval: { reason: 'tooLittleData', moreSeconds: null },
};

/** Good requests per second of a window; `null` for an empty window. */
export function goodputRps(good: number, windowNs: number): number | null {
  return windowNs > 0 ? (good * NS_PER_SECOND) / windowNs : null;
}
