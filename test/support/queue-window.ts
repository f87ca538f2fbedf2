/**
 * Windows of queues whose long-run attainment is known: M/M/1 and M/D/1 in closed form, the
 * leak-free engine of the mission document by a very long run. For tests of what intervals cover.
 */
import { SEED_COST } from '../../src/engine/index.ts';
import {
  CpythonRandom,
  driveBatch,
  type FinishSink,
  SWEEP_DEFAULTS,
  sweepSource,
} from '../../src/simulator/index.ts';
import { BATCH_COUNT, type TimeBatch } from '../../src/stats/index.ts';

/** Loads are parts of this: the rate at which the engine attains 95 %, and the queues by design. */
export const CAPACITY_RPS = 6.97;
const TARGET_SHARE = 0.95;
/** Requests per second a single server can serve at most. */
const SERVICE_RPS = 10;
/** The system starts empty: so long it fills before the window and drains after it. */
const CUT_SECONDS = 30;
const BINS_PER_BATCH = 256;

export interface QueueWindow {
  readonly seconds: number;
  readonly batches: readonly TimeBatch[];
  /** Mean in flight over equal, short bins of the window. */
  readonly levels: Float64Array;
  /** Per request that arrived in the window: when, and its latency (queue: stay; engine: TTFT). */
  readonly arrivalSeconds: readonly number[];
  readonly latencySeconds: readonly number[];
}

/** Told of each request as it ends; `outputTokens` 1 where there are none. */
export type Serve = (offeredRps: number, seconds: number, seed: number, sink: FinishSink) => void;

export interface QueueModel {
  readonly name: string;
  readonly serve: Serve;
  readonly isGood: (latencySeconds: number, tpotSeconds: number) => boolean;
  /** Long-run attainment; `null` = only a long run tells. */
  readonly attainment: (offeredRps: number) => number | null;
  /** Long-run p95 of the latency; left out where only a long run tells. */
  readonly p95Seconds?: (offeredRps: number) => number;
  /** Arrivals per second where they follow the service (closed loop); else as offered. */
  readonly throughputRps?: () => number;
}

/** Draws one window of a model at a load; the same seed gives the same window. */
export function drawWindow(
  model: QueueModel,
  offeredRps: number,
  seconds: number,
  seed: number,
): QueueWindow {
  const batches = Array.from({ length: BATCH_COUNT }, () => ({ good: 0, offered: 0 }));
  const bins = BATCH_COUNT * BINS_PER_BATCH;
  const levels = new Float64Array(bins);
  const arrivalSeconds: number[] = [];
  const latencySeconds: number[] = [];
  const binSeconds = seconds / bins;
  model.serve(offeredRps, seconds + 2 * CUT_SECONDS, seed, {
    finished(arrival, _prompt, outputTokens, first, last) {
      const from = arrival - CUT_SECONDS;
      addStay(levels, binSeconds, from, last - CUT_SECONDS);
      if (from < 0 || from >= seconds) return;
      const latency = first - arrival;
      const batch = batches[Math.floor((from / seconds) * BATCH_COUNT)] as (typeof batches)[0];
      batch.offered += 1;
      const tpot = outputTokens > 1 ? (last - first) / (outputTokens - 1) : 0;
      if (model.isGood(latency, tpot)) batch.good += 1;
      arrivalSeconds.push(from);
      latencySeconds.push(latency);
    },
  });
  return { seconds, batches, levels, arrivalSeconds, latencySeconds };
}

/** Per batch of the window, how many latencies are at most `limit`. */
export function batchesWithin(window: QueueWindow, limit: number): TimeBatch[] {
  const batches = Array.from({ length: BATCH_COUNT }, () => ({ good: 0, offered: 0 }));
  for (const [index, at] of window.arrivalSeconds.entries()) {
    const batch = batches[Math.floor((at / window.seconds) * BATCH_COUNT)] as (typeof batches)[0];
    batch.offered += 1;
    if ((window.latencySeconds[index] as number) <= limit) batch.good += 1;
  }
  return batches;
}

function addStay(levels: Float64Array, binSeconds: number, from: number, to: number): void {
  const end = Math.min(to, levels.length * binSeconds);
  let at = Math.max(0, from);
  for (let bin = Math.floor(at / binSeconds); at < end && bin < levels.length; bin += 1) {
    const next = Math.min(end, (bin + 1) * binSeconds);
    levels[bin] = (levels[bin] as number) + (next - at) / binSeconds;
    at = next;
  }
}

function singleServer(serviceSeconds: (random: CpythonRandom) => number): Serve {
  return (offeredRps, seconds, seed, sink) => {
    const random = new CpythonRandom(seed);
    let free = 0;
    for (let at = random.expovariate(offeredRps); at < seconds;) {
      free = Math.max(at, free) + serviceSeconds(random);
      sink.finished(at, 0, 1, free, free);
      at += random.expovariate(offeredRps);
    }
  };
}

/** P(wait ≤ t) in M/D/1: Crommelin, Post Office Electrical Engineers' Journal 26 (1934). */
export function md1WaitCdf(seconds: number, offeredRps: number): number {
  const service = 1 / SERVICE_RPS;
  let sum = 0;
  for (let k = 0; k * service <= seconds + 1e-12; k += 1) {
    const load = -offeredRps * (seconds - k * service);
    let term = Math.exp(-load);
    for (let factor = 1; factor <= k; factor += 1) term *= load / factor;
    sum += term;
  }
  return (1 - offeredRps * service) * sum;
}

/** The argument at which a rising function reaches `level`, by bisection of [0, 2]: Crommelin's sum cancels beyond. */
export function inverseOf(rising: (x: number) => number, level: number): number {
  let low = 0;
  let high = 2;
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (rising(middle) < level) low = middle;
    else high = middle;
  }
  return low;
}

const MM1_LIMIT_SECONDS = -Math.log(1 - TARGET_SHARE) / (SERVICE_RPS - CAPACITY_RPS);
const MD1_WAIT_LIMIT_SECONDS = inverseOf((t) => md1WaitCdf(t, CAPACITY_RPS), TARGET_SHARE);

export const MM1: QueueModel = {
  name: 'M/M/1',
  serve: singleServer((random) => random.expovariate(SERVICE_RPS)),
  isGood: (stay) => stay <= MM1_LIMIT_SECONDS,
  attainment: (offeredRps) => 1 - Math.exp(-(SERVICE_RPS - offeredRps) * MM1_LIMIT_SECONDS),
  p95Seconds: (offeredRps) => Math.log(20) / (SERVICE_RPS - offeredRps),
};

export const MD1: QueueModel = {
  name: 'M/D/1',
  serve: singleServer(() => 1 / SERVICE_RPS),
  isGood: (stay) => stay <= MD1_WAIT_LIMIT_SECONDS + 1 / SERVICE_RPS,
  attainment: (offeredRps) => md1WaitCdf(MD1_WAIT_LIMIT_SECONDS, offeredRps),
  p95Seconds: (offeredRps) => 1 / SERVICE_RPS + inverseOf((t) => md1WaitCdf(t, offeredRps), 0.95),
};

/** The mission document's engine without its leak. */
export const ENGINE: QueueModel = {
  name: 'engine',
  serve: (offeredRps, seconds, seed, sink) => {
    const { tokenBudget, maxSequences } = SWEEP_DEFAULTS;
    driveBatch(
      sweepSource({ offeredRps, durationSeconds: seconds, seed }),
      { cost: SEED_COST, tokenBudget, maxSequences, leakTokens: 0, method: 'skip', observer: null },
      sink,
    );
  },
  isGood: (ttft, tpot) => {
    const { ttftSeconds, tpotSeconds } = SWEEP_DEFAULTS.objective;
    return ttft <= ttftSeconds && tpot <= tpotSeconds;
  },
  attainment: () => null,
};
