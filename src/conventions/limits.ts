/** An objective as other tools can ask it: one limit each on TTFT, TPOT and the whole time. */
import type { Objective } from '../slo/index.ts';
import type { Lack } from './convention.ts';

/** In nanoseconds; `null` = not asked. At least one is. */
export interface FlatLimits {
  readonly ttftNs: number | null;
  readonly tpotNs: number | null;
  readonly e2eNs: number | null;
}

/** The limits, or why other tools cannot be asked them. */
export function flatLimits(
  objective: Objective | null,
): { readonly limits: FlatLimits; readonly reason: null } | { readonly reason: string } {
  if (objective === null) return { reason: 'no limits are asked: give --slo' };
  const { ttft, tpot, e2eNs } = objective.request;
  if (ttft !== null && ttft.length > 1) {
    return { reason: 'it has one TTFT limit for all prompt lengths; the objective has several' };
  }
  const limits = { ttftNs: ttft?.[0]?.limitNs ?? null, tpotNs: tpot?.limitNs ?? null, e2eNs };
  if (Object.values(limits).every((limit) => limit === null)) {
    return { reason: 'the objective limits neither TTFT, TPOT nor the whole time' };
  }
  return { limits, reason: null };
}

export const lacksLimits: Lack = ({ objective }) => flatLimits(objective).reason;
