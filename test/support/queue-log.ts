/** Logs of queues whose long-run attainment is known, judged: what do their intervals cover? */
import {
  sliceUsOf,
  windowTable,
  type LogTable,
  type SliceCounts,
  type WindowSpec,
} from '../../src/logs/index.ts';
import { plainObjective } from '../../src/slo/index.ts';
import type { ConfidenceInterval } from '../../src/stats/index.ts';
import type { QueueModel } from './queue-window.ts';

const BY: WindowSpec = { windowUs: 600_000_000, keys: [] };
/** The queue starts empty. */
const FILL_SECONDS = 120;

/** The table of one log: requests by when they were due, good or bad by the model. */
function judged(model: QueueModel, rps: number, seconds: number, seed: number): LogTable {
  const sliceUs = sliceUsOf(BY);
  const slices = new Map<number, { good: number; bad: number }>();
  model.serve(rps, seconds + FILL_SECONDS, seed, {
    finished(arrival, _prompt, outputTokens, first, last) {
      if (arrival < FILL_SECONDS) return;
      const fromUs = Math.floor(((arrival - FILL_SECONDS) * 1e6) / sliceUs) * sliceUs;
      const slice = slices.get(fromUs) ?? { good: 0, bad: 0 };
      const tpot = outputTokens > 1 ? (last - first) / (outputTokens - 1) : 0;
      slice[model.isGood(first - arrival, tpot) ? 'good' : 'bad'] += 1;
      slices.set(fromUs, slice);
    },
  });
  const counts = [...slices].map(([fromUs, counted]) => ({ ...NOTHING, fromUs, ...counted }));
  return windowTable({ slices: counts, bins: [] }, plainObjective(), BY);
}

const NOTHING: SliceCounts = {
  fromUs: 0,
  values: [],
  good: 0,
  bad: 0,
  unjudged: 0,
  excluded: 0,
  dropped: 0,
  failed: 0,
  incorrect: 0,
  missed: {},
  ttft: { observed: 0, within: 0 },
  tpot: { observed: 0, within: 0 },
  succeeded: 0,
  quantiles: [],
};

/** Part of the intervals that hold the truth, and part of the cases that have one. */
export function coverageOf(intervals: readonly (ConfidenceInterval | null)[], truth: number) {
  const stated = intervals.filter((one) => one !== null);
  const hold = stated.filter(({ low, high }) => low <= truth && truth <= high);
  return { holds: hold.length / stated.length, stated: stated.length / intervals.length };
}

/** Judges `count` logs of `seconds` each, with fresh seeds, in windows of 10 minutes. */
export function judgeQueueLogs(model: QueueModel, rps: number, seconds: number, count: number) {
  const tables = Array.from({ length: count }, (_, at) => judged(model, rps, seconds, 1_000 + at));
  const windows = tables.flatMap((table) => table.windows);
  return {
    totals: tables.map(({ total }) => total.attainment.interval),
    naive: tables.map(({ total }) => total.attainment.intervalIfIndependent),
    windows: windows.map(({ attainment }) => attainment.interval),
    naiveWindows: windows.map(({ attainment }) => attainment.intervalIfIndependent),
  };
}
