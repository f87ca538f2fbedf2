/** Arrival instants of open-loop load. */
import { randomExponential, randomGamma } from 'd3-random';
import { assert, assertNever, nsFromSeconds, type RandomSource } from '../base/index.ts';
import type { ArrivalProcess } from './spec.ts';

/** What {@link arrivalInstantsNs} needs to know. */
export interface ArrivalPlan {
  readonly arrivals: ArrivalProcess;
  readonly rateRps: number;
  /** Arrivals lie in [0, durationNs). */
  readonly durationNs: number;
  /** No more than this many. */
  readonly limit: number;
}

/**
 * Ascending arrival instants after the start of the load point.
 *
 * Each is rounded from an exact or running sum of seconds, so rounding never adds up to drift.
 * Constant arrivals start at 0 and number rate × duration. Random ones start with the *remaining*
 * part of a gap, as if the process had run for ever: without that, bursty load would exceed its
 * rate by (cv² − 1)/2 requests at every start. For Poisson the remaining part is again exponential.
 *
 * The pattern scales with the rate: one stream at twice the rate gives the same gaps, halved.
 */
export function arrivalInstantsNs(plan: ArrivalPlan, random: RandomSource): number[] {
  const { rateRps, durationNs, limit } = plan;
  assert(rateRps > 0 && Number.isFinite(rateRps), `an arrival rate is positive: ${rateRps}`);
  const nextSum = createGapSum(plan.arrivals, random);
  const instantsNs: number[] = [];
  while (instantsNs.length < limit) {
    const atNs = nsFromSeconds(nextSum() / rateRps);
    if (atNs >= durationNs) break;
    instantsNs.push(atNs);
  }
  return instantsNs;
}

/** Gives the instants of the process with one arrival per unit of time, one after another. */
function createGapSum(arrivals: ArrivalProcess, random: RandomSource): () => number {
  switch (arrivals.kind) {
    case 'constant': {
      let count = -1;
      return () => (count += 1);
    }
    case 'poisson': {
      const nextGap = randomExponential.source(random)(1);
      let sum = 0;
      return () => (sum += nextGap());
    }
    case 'gamma':
      return createGammaSum(arrivals.cv, random);
    default:
      return assertNever(arrivals);
  }
}

/**
 * Gamma gaps of mean 1 and coefficient of variation `cv`: shape k = 1/cv², scale cv².
 *
 * The gap that covers the start is met in proportion to its length, which is again a gamma of
 * shape k + 1 and the same scale; the start falls evenly within it.
 */
function createGammaSum(cv: number, random: RandomSource): () => number {
  assert(cv > 0 && Number.isFinite(cv), `a coefficient of variation is positive: ${cv}`);
  const gamma = randomGamma.source(random);
  const shape = 1 / (cv * cv);
  const nextGap = gamma(shape, 1 / shape);
  let sum: number | null = null;
  return () => {
    sum = sum === null ? random() * gamma(shape + 1, 1 / shape)() : sum + nextGap();
    return sum;
  };
}
