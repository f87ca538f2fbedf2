/**
 * Whether the interval of a share of requests holds where the misses of a session come together: over
 * windows of 20 minutes with a session every 4 s, of up to 20 turns 20 s apart. One session of ten
 * misses most of its turns.
 */
import { randomExponential } from 'd3-random';
import { describe, expect, it } from 'vitest';
import { nsFromSeconds, randomStream } from '../base/index.ts';
import { attainmentCounts } from './attainment.ts';
import { batchesOf, inferenceOf, shareUncertainty } from './inference.ts';
import type { RequestRow } from './request-row.ts';

/** More by the environment, for the figures in docs/statistics.md. */
const WINDOWS = Number(process.env['SESSION_WINDOWS'] ?? 100);
const WINDOW_SECONDS = 1_200;
const GAP_SECONDS = 4;
const TURNS_MOST = 20;
const THINK_SECONDS = 20;
const MISSES = { usual: 0.02, bad: 0.8 };
const BAD_SHARE = 0.1;
const TRUTH = 1 - (BAD_SHARE * MISSES.bad + (1 - BAD_SHARE) * MISSES.usual);

interface PlantedWindow {
  readonly rows: readonly RequestRow[];
  /** Start of the session of each place. */
  readonly startNs: ReadonlyMap<number, number>;
}

function plantedWindow(seed: number): PlantedWindow {
  const random = randomStream(seed, 'sessions');
  const exponential = randomExponential.source(random)(1);
  const rows: RequestRow[] = [];
  const startNs = new Map<number, number>();
  // Long enough before the window that it sees as many sessions begun before as begin in it.
  for (let start = -WINDOW_SECONDS; start < WINDOW_SECONDS; start += GAP_SECONDS * exponential()) {
    const misses = random() < BAD_SHARE ? MISSES.bad : MISSES.usual;
    const turns = 1 + Math.floor(random() * TURNS_MOST);
    let at = start;
    for (let turn = 0; turn < turns; turn += 1) {
      const verdict = random() < misses ? 'bad' : 'good';
      if (at >= 0 && at < WINDOW_SECONDS) {
        const place = { scheduleIndex: rows.length, plannedNs: nsFromSeconds(at) };
        rows.push({ ...place, verdict, outcome: 'completed' } as RequestRow);
        startNs.set(place.scheduleIndex, nsFromSeconds(start));
      }
      at += THINK_SECONDS * exponential();
    }
  }
  return { rows, startNs };
}

/** The share of stated intervals that hold the truth. */
function coverage(windows: readonly PlantedWindow[], by: 'session' | 'time'): number {
  const span = { fromNs: 0, toNs: nsFromSeconds(WINDOW_SECONDS) };
  const held = windows.map(({ rows, startNs }) => {
    const inference = inferenceOf(rows, [], span, false, by === 'session' ? startNs : null);
    const batches = batchesOf(inference, rows, (row) => attainmentCounts(row));
    const { interval } = shareUncertainty(inference, batches);
    return interval !== null && interval.low <= TRUTH && TRUTH <= interval.high;
  });
  return held.filter(Boolean).length / held.length;
}

describe('the interval of a share of requests that come in sessions', () => {
  it('holds when a session is one observation, and not when its turns are dealt by time', () => {
    const windows = Array.from({ length: WINDOWS }, (_, seed) => plantedWindow(seed));
    const [bySession, byTime] = [coverage(windows, 'session'), coverage(windows, 'time')];
    if (WINDOWS > 100) console.log({ bySession, byTime });
    expect(bySession).toBeGreaterThanOrEqual(0.9);
    expect(byTime).toBeLessThan(0.9);
  });
});
