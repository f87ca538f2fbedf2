/** The summaries that report goldens show. */
import type { Summary } from '../../src/summary/index.ts';
import { failedEnd, recordOf } from './record-builder.ts';
import { objectiveOf, pointOf, summaryOf } from './summary-builder.ts';
import { toyPoint, toyRecords, type ToyLoad } from './toy-service.ts';

export const CHAT = objectiveOf('ttft<=500ms, tpot<=28ms, attainment>=80%');

function toySummary(loads: readonly ToyLoad[], steadyFromNs: number | null = null): Summary {
  return summaryOf(loads.flatMap(toyRecords), {
    points: loads.map((load) => toyPoint(load, { steadyFromNs })),
    objective: CHAT,
  });
}

/** One load the service keeps up with; every fiftieth request fails. */
export const SINGLE = toySummary([
  { pointIndex: 0, rateRps: 5, seconds: 60, seed: 1, failEvery: 50 },
]);

/** The same with ten seconds of declared warm-up. */
export const STEADY = toySummary(
  [{ pointIndex: 0, rateRps: 5, seconds: 60, seed: 1, failEvery: 50 }],
  10e9,
);

/** Loads below, at and above what the service can do. */
export const SWEEP = toySummary(
  [2, 5, 8, 10, 12].map((rateRps, pointIndex) => ({ pointIndex, rateRps, seconds: 60, seed: 1 })),
);

const TEN_A_SECOND = pointOf({
  level: 10,
  label: 'open loop, constant 10/s',
  offeredRps: 10,
  stopNs: 8e9,
});

/** Nothing could be connected. */
export const ALL_FAILED = summaryOf(
  Array.from({ length: 80 }, (_, index) =>
    recordOf({
      scheduleIndex: index,
      plannedNs: index * 1e8,
      arrivalsNs: [],
      usage: null,
      httpStatus: null,
      end: failedEnd('connect'),
      timeline: { doneNs: null, bodyEndNs: null, terminalNs: null, reused: null },
    }),
  ),
  { objective: CHAT, points: [TEN_A_SECOND] },
);

/** The server reports no usage, so a pace per token can never be known. */
export const NO_USAGE = summaryOf(
  Array.from({ length: 80 }, (_, index) =>
    recordOf({
      scheduleIndex: index,
      plannedNs: index * 1e8,
      usage: null,
      oneTokenPerEvent: true,
      // Five answers came too late; they are missed, whatever their pace.
      ...(index < 5 && { arrivalsNs: [0.6, 0.62, 0.64].map((s) => index * 1e8 + s * 1e9) }),
    }),
  ),
  { objective: CHAT, points: [TEN_A_SECOND] },
);

/** The client itself was 450 ms late with every request. */
export const LATE_CLIENT = summaryOf(
  Array.from({ length: 80 }, (_, index) =>
    recordOf({ scheduleIndex: index, plannedNs: index * 1e8, dispatchedNs: index * 1e8 + 4.5e8 }),
  ),
  { objective: CHAT, points: [TEN_A_SECOND] },
);
