/** How soon each alert of an SLO fires, for three incidents everybody understands. */
import type { WatchedSlo } from './alert-plan.ts';
import { type BurnAlert, missableShare, timeToFireNs } from './burn-alert.ts';

/** From the start of an incident until the alert; `null` = it never fires. */
export interface FireTime {
  readonly alert: BurnAlert;
  readonly outageNs: number | null;
  readonly halfNs: number | null;
  /** Twice as many misses as the target allows. */
  readonly twiceBudgetNs: number | null;
}

/** `rps`: traffic; `null` = so much that the guard does not matter. */
export function fireTimes(slo: WatchedSlo, rps: number | null = null): FireTime[] {
  return slo.alerts.map((alert) => {
    const after = (badShare: number): number | null => timeToFireNs(alert, { badShare, rps });
    return {
      alert,
      outageNs: after(1),
      halfNs: after(0.5),
      twiceBudgetNs: after(Math.min(1, 2 * missableShare(slo.targetShare))),
    };
  });
}
