/** Headroom from what is declared to come: bursts, growth, lost replicas. Never a rule of thumb. */
import { assert } from '../base/index.ts';

/** `null` = not declared. */
export interface HeadroomNeeds {
  /** Peak over average rate, ≥ 1. */
  readonly burstFactor: number | null;
  /** Growth to provide for, 0.2 = 20 %. ≥ 0. */
  readonly growthShare: number | null;
  /** Replicas that may be lost at once, of those behind this capacity. */
  readonly failover: { readonly lost: number; readonly replicas: number } | null;
}

export function isDeclared(needs: HeadroomNeeds): boolean {
  return needs.burstFactor !== null || needs.growthShare !== null || needs.failover !== null;
}

/** The part of a capacity that today's average demand may take. In (0, 1]; 1 when none is declared. */
export function usableShare({ burstFactor, growthShare, failover }: HeadroomNeeds): number {
  assert((burstFactor ?? 1) >= 1 && (growthShare ?? 0) >= 0, 'headroom only takes away');
  const left = failover === null ? 1 : (failover.replicas - failover.lost) / failover.replicas;
  assert(left > 0 && left <= 1, 'a failover that leaves no replica has no capacity');
  return left / ((burstFactor ?? 1) * (1 + (growthShare ?? 0)));
}

/**
 * - `met`: the lower bound carries the demand with its headroom;
 * - `likely`: the best figure does, the bound does not;
 * - `unlikely`: the best figure does not, the upper bound does;
 * - `missed`: not even the upper bound does;
 * - `unknown`: no capacity was found.
 */
export type DemandVerdict = 'met' | 'likely' | 'unlikely' | 'missed' | 'unknown';

export function judgeDemand(
  requiredRps: number,
  capacity: {
    readonly rps: number | null;
    readonly plannableRps: number | null;
    readonly highRps: number | null;
  },
): DemandVerdict {
  const { rps, plannableRps, highRps } = capacity;
  if (rps === null) return 'unknown';
  if (plannableRps !== null && requiredRps <= plannableRps) return 'met';
  if (highRps !== null && requiredRps > highRps) return 'missed';
  return requiredRps <= rps ? 'likely' : 'unlikely';
}
