/** The demo's second line: its replica in virtual time, long enough for chance to even out. */
import { type BesideRow } from '../report/index.ts';
import { SWEEP_DEFAULTS, sweepRow } from '../simulator/index.ts';
import type { PointSummary } from '../summary/index.ts';

/** Arrivals go on for so much virtual time, and count after a warm-up and before the end. */
const VIRTUAL_SECONDS = 2 * 3_600;

/**
 * The same engine, workload and objective as the demo's emulator at its real speed, two hours of
 * virtual time a load; `rates` in requests per second of the replica, one for each live point.
 */
export function besideSimulation(
  points: readonly PointSummary[],
  rates: readonly number[],
): BesideRow[] {
  return points.flatMap((point, index) => {
    const offeredRps = rates[index];
    if (offeredRps === undefined) return [];
    const { counts, attainedShare, goodputRps, flags } = sweepRow(offeredRps, {
      ...SWEEP_DEFAULTS,
      durationSeconds: VIRTUAL_SECONDS,
      leakFree: true,
    });
    return [
      {
        offeredRps,
        live: { requests: point.attainment.offered, attainedShare: point.attainment.share },
        simulated: {
          requests: counts.requests,
          attainedShare,
          goodRps: goodputRps,
          growing: flags.includes('growingBacklog'),
        },
      },
    ];
  });
}
