/**
 * Records of a toy service for tests of reports: `SLOTS` answers at a time, first come first
 * served, 40 tokens each. Below 8/s it keeps up; above, its queue grows. Deterministic.
 */
import { randomStream } from '../../src/base/index.ts';
import type { ManifestPoint, RequestRecord } from '../../src/record/index.ts';
import { failedEnd, recordOf } from './record-builder.ts';
import { pointOf } from './summary-builder.ts';

const MS = 1_000_000;
const SECOND = 1_000 * MS;
const SLOTS = 8;
const TOKENS = 40;

export interface ToyLoad {
  readonly pointIndex: number;
  readonly rateRps: number;
  readonly seconds: number;
  readonly seed: number;
  /** Every n-th request fails with a 503; 0 = none. */
  readonly failEvery?: number;
}

/** Poisson arrivals at a rate, served in order as slots come free. */
export function toyRecords(load: ToyLoad): RequestRecord[] {
  const random = randomStream(load.seed, `toy-${load.pointIndex}`);
  const slotFreeNs = Array.from({ length: SLOTS }, () => 0);
  const records: RequestRecord[] = [];
  for (let plannedNs = 0; ;) {
    plannedNs += Math.round((-Math.log(1 - random()) / load.rateRps) * SECOND);
    if (plannedNs >= load.seconds * SECOND) return records;
    const scheduleIndex = records.length;
    const at = {
      pointIndex: load.pointIndex,
      scheduleIndex,
      plannedNs,
      dispatchedNs: plannedNs + Math.round(random() * 0.4 * MS),
    };
    if (load.failEvery !== undefined && scheduleIndex % load.failEvery === 3) {
      const doneNs = at.dispatchedNs + 2 * MS;
      records.push(
        recordOf({
          ...at,
          arrivalsNs: [],
          usage: null,
          doneNs,
          httpStatus: 503,
          end: failedEnd('httpStatus'),
        }),
      );
      continue;
    }
    const slot = slotFreeNs.indexOf(Math.min(...slotFreeNs));
    const startNs = Math.max(at.dispatchedNs, slotFreeNs[slot] as number);
    const gapNs = Math.round((15 + 15 * random()) * MS);
    const firstNs = startNs + Math.round((60 + 60 * random()) * MS);
    const arrivalsNs = Array.from({ length: TOKENS }, (_, token) => firstNs + token * gapNs);
    slotFreeNs[slot] = (arrivalsNs.at(-1) as number) + MS;
    records.push(
      recordOf({
        ...at,
        arrivalsNs,
        usage: {
          promptTokens: Math.round(200 + 3_000 * random()),
          completionTokens: TOKENS,
        },
        timeline: { reused: scheduleIndex >= SLOTS },
      }),
    );
  }
}

/** The manifest's point that belongs to such a load. */
export function toyPoint(load: ToyLoad, options: Partial<ManifestPoint> = {}): ManifestPoint {
  return pointOf({
    index: load.pointIndex,
    level: load.rateRps,
    label: `open loop, Poisson ${load.rateRps}/s`,
    offeredRps: load.rateRps,
    stopNs: load.seconds * SECOND,
    generator: {
      loopUtilisationShare: 0.12,
      loopStallMaxNs: 3 * MS,
      hostStallCount: 0,
      hostStallMaxNs: 0,
      stalls: [],
      unlistedStallMaxNs: 0,
      connectionCount: SLOTS,
    },
    ...options,
  });
}
