/**
 * Queueing formulas for intuition and for checks. All of them are about *means* of a *stable*
 * system; none says anything about a p99, and a toy queue is not a batched autoregressive server.
 * Rates are per second, times nanoseconds; a mean time need not be whole.
 */
import { assert, NS_PER_SECOND } from '../base/index.ts';

/**
 * Little's law, L = λ·W: the mean number inside from the admitted rate and the mean time inside.
 *
 * Scope: one boundary for all three (if W includes queueing, L does too), a stable system over a
 * long run, consistent accounting of entry and exit. λ is the admitted or completed rate, never
 * the offered one; W is a mean, never a p99; L is everything in flight, never a scheduler's active
 * sequences alone. When the backlog grows there is no such operating point.
 */
export function littleInFlightMean(known: {
  readonly admittedRps: number;
  readonly sojournMeanNs: number;
}): number {
  return (known.admittedRps * known.sojournMeanNs) / NS_PER_SECOND;
}

/** Little's law solved for λ, the admitted rate; scope as in {@link littleInFlightMean}. */
export function littleAdmittedRps(known: {
  readonly inFlightMean: number;
  readonly sojournMeanNs: number;
}): number {
  assert(known.sojournMeanNs > 0, `mean time inside ${known.sojournMeanNs} ns must be positive`);
  return (known.inFlightMean * NS_PER_SECOND) / known.sojournMeanNs;
}

/** Little's law solved for W, the mean time inside; scope as in {@link littleInFlightMean}. */
export function littleSojournMeanNs(known: {
  readonly inFlightMean: number;
  readonly admittedRps: number;
}): number {
  assert(known.admittedRps > 0, `admitted rate ${known.admittedRps}/s must be positive`);
  return (known.inFlightMean * NS_PER_SECOND) / known.admittedRps;
}

/** Arrival rate λ and service rate μ of a single server. */
export interface QueueRates {
  readonly arrivalRps: number;
  readonly serviceRps: number;
}

/**
 * Mean time in system of an M/M/1 queue, 1/(μ − λ): Poisson arrivals, exponential service, one
 * server, first come first served. Undefined: `null` when unstable (λ ≥ μ).
 */
export function mm1MeanSystemTimeNs(rates: QueueRates): number | null {
  return isStable(rates) ? NS_PER_SECOND / (rates.serviceRps - rates.arrivalRps) : null;
}

/** Mean wait before service of an M/M/1 queue, ρ/(μ − λ). Undefined: `null` when unstable. */
export function mm1MeanQueueDelayNs(rates: QueueRates): number | null {
  return kingmanMeanQueueDelayNs({ ...rates, arrivalCv: 1, serviceCv: 1 });
}

/**
 * Mean wait before service of an M/D/1 queue, ρ/(2(μ − λ)): as M/M/1 with constant service time.
 * Undefined: `null` when unstable.
 */
export function md1MeanQueueDelayNs(rates: QueueRates): number | null {
  return kingmanMeanQueueDelayNs({ ...rates, arrivalCv: 1, serviceCv: 0 });
}

/**
 * Kingman's approximation of the mean wait before service in a GI/G/1 queue,
 * ρ/(1 − ρ) · (c²ₐ + c²ₛ)/2 · 1/μ, with the coefficients of variation of interarrival and service
 * times.
 *
 * Scope: heavy traffic (ρ near 1); one server, independent interarrival and service times. It is
 * the mean *queue* delay: not the time in system, not a p99, not a law special to M/G/1 (where,
 * with cₐ = 1, it is exact), and not a model of a batched server.
 * Undefined: `null` when unstable (λ ≥ μ).
 * Source: Kingman, Proc. Cambridge Phil. Soc. 57 (1961).
 */
export function kingmanMeanQueueDelayNs(
  queue: QueueRates & { readonly arrivalCv: number; readonly serviceCv: number },
): number | null {
  assert(
    queue.arrivalCv >= 0 && queue.serviceCv >= 0,
    'a coefficient of variation is not negative',
  );
  if (!isStable(queue)) return null;
  const variability = (queue.arrivalCv ** 2 + queue.serviceCv ** 2) / 2;
  const utilisation = queue.arrivalRps / queue.serviceRps;
  return (variability * utilisation * NS_PER_SECOND) / (queue.serviceRps - queue.arrivalRps);
}

function isStable(rates: QueueRates): boolean {
  assert(rates.arrivalRps >= 0 && rates.serviceRps > 0, 'rates must be positive');
  return rates.arrivalRps < rates.serviceRps;
}
