/** Whether what was seen of a target is proven, and what proof would take. */
import { NS_PER_SECOND } from '../base/index.ts';
import {
  EFFECTIVE_N_LEAST,
  keptWithFewBatches,
  minimumSampleSize,
  normalQuantile,
  type TimeBatch,
} from '../stats/index.ts';
import { CONFIDENCE_LEVEL, type Inference, shareUncertainty } from './inference.ts';
import type { PopulationResult } from './summary.ts';

export type Proof = Pick<PopulationResult, 'proven' | 'toProve'>;

export const NO_PROOF: Proof = { proven: false, toProve: null };

/** Beyond so many requests a target is on the edge, and no length of run decides it. */
const REQUESTS_MOST = 10_000_000;

export interface Claim {
  /** By what was seen. */
  readonly state: PopulationResult['state'];
  /** The share that `good` of `offered` must reach. */
  readonly target: number;
  /** Of the offered, those that nobody knows: counted as bad. */
  readonly unjudged: number;
}

/**
 * A share is proven when its interval lies wholly on one side of the target; a miss, when even with
 * all unknown ones good it would. A growing backlog proves a miss: waiting makes it worse.
 */
export function proofOf(
  inference: Inference,
  batches: readonly TimeBatch[],
  { state, target, unjudged }: Claim,
): Proof {
  const offered = batches.reduce((sum, batch) => sum + batch.offered, 0);
  if (offered === 0) return NO_PROOF;
  if (inference.growing) return { proven: state === 'missed', toProve: null };
  const { interval, dependence } = shareUncertainty(inference, batches);
  if (interval !== null) {
    const highest = Math.min(1, interval.high + unjudged / offered);
    if (state === 'met' && interval.low >= target) return { proven: true, toProve: null };
    if (state === 'missed' && highest < target) return { proven: true, toProve: null };
  }
  if (dependence === null || target <= 0 || target >= 1) return NO_PROOF;
  const share = batches.reduce((sum, { good }) => sum + good, 0) / offered;
  // What the unknown ones leave open, more of the same leaves open.
  if (share < target && share + unjudged / offered >= target) return NO_PROOF;
  const { designEffect, degrees } = dependence;
  const kept = keptWithFewBatches(degrees, CONFIDENCE_LEVEL);
  const requests = Math.ceil((effectiveNeeded(share, target) / kept) * designEffect - offered);
  if (!(requests < REQUESTS_MOST)) return NO_PROOF;
  return { proven: false, toProve: moreOf(inference, Math.max(requests, 0.1 * offered), offered) };
}

/** The effective sample whose interval would just reach from `share` to `target`. */
function effectiveNeeded(share: number, target: number): number {
  const sided = (1 + CONFIDENCE_LEVEL) / 2;
  const byVariance = (normalQuantile(sided) ** 2 * share * (1 - share)) / (share - target) ** 2;
  // Without a single miss the variance says nothing; the exact interval does.
  return Math.max(
    EFFECTIVE_N_LEAST,
    share > target ? minimumSampleSize(target, sided) : 0,
    byVariance,
  );
}

function moreOf(inference: Inference, requests: number, offered: number): Proof['toProve'] {
  const perSecond = (offered * NS_PER_SECOND) / (inference.toNs - inference.fromNs);
  return { requests: Math.ceil(requests), seconds: Math.ceil(requests / perSecond) };
}
