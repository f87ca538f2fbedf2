/** How many replicas a peak needs, and what they cost. */
import { assert } from '../base/index.ts';
import { ceilNear } from '../stats/index.ts';

/**
 * Replicas for a peak with a margin on top: ⌈(1 + margin) · peak / per replica⌉.
 *
 * Range: rates > 0; `marginShare` ≥ 0 (0.3 = 30 % for bursts and failover). `perReplicaRps` is a
 * rate at which a replica was measured to meet its objectives, not its saturation throughput, and
 * the sum assumes balanced routing. More replicas shorten queues; they do not speed up a request.
 */
export function replicasFor(demand: {
  readonly peakRps: number;
  readonly perReplicaRps: number;
  readonly marginShare: number;
}): number {
  assert(demand.peakRps > 0, `peak ${demand.peakRps}/s must be positive`);
  assert(demand.perReplicaRps > 0, `replica rate ${demand.perReplicaRps}/s must be positive`);
  assert(demand.marginShare >= 0, `margin ${demand.marginShare} must not be negative`);
  return ceilNear(((1 + demand.marginShare) * demand.peakRps) / demand.perReplicaRps);
}

/** Cost of replicas that run for part of each day, before idle capacity, storage and network. */
export function periodCostUsd(fleet: {
  readonly replicas: number;
  readonly pricePerReplicaHourUsd: number;
  readonly hoursPerDay: number;
  readonly days: number;
}): number {
  return fleet.replicas * fleet.pricePerReplicaHourUsd * fleet.hoursPerDay * fleet.days;
}

/**
 * Hourly cost over the millions of output tokens made in that hour: what a million tokens cost
 * under uninterrupted full use. Idle hours make the true price higher.
 *
 * Range: both rates for the same set of replicas; `outputTokensPerSecond` > 0.
 */
export function costPerMillionOutputTokensUsd(fleet: {
  readonly hourlyCostUsd: number;
  readonly outputTokensPerSecond: number;
}): number {
  assert(fleet.outputTokensPerSecond > 0, 'the output rate must be positive');
  const millionTokensPerHour = (fleet.outputTokensPerSecond * 3_600) / 1_000_000;
  return fleet.hourlyCostUsd / millionTokensPerHour;
}
