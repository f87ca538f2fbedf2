/** Windows of load on the simulated replica of the mission document, on a machine with moods. */
import type { WindowFigures } from '../../src/comparison/index.ts';
import { SEED_COST, type TwoLineCost } from '../../src/engine/index.ts';
import {
  collectRequests,
  driveBatch,
  sourceOf,
  SWEEP_DEFAULTS,
  sweepSource,
} from '../../src/simulator/index.ts';
import { normalQuantile, sampleQuantile } from '../../src/stats/index.ts';

export type Draw = () => number;

/** A standard normal draw. */
export function normalDraw(random: Draw): number {
  return normalQuantile(Math.min(1 - 1e-12, Math.max(1e-12, random())));
}

/** How a machine's step time varies, as shares. */
export interface Moods {
  /** From window to window, without memory. */
  readonly jitter: number;
  /** Step of a random walk from window to window: heat, neighbours. */
  readonly walk: number;
}

/** The factor on every step of one window after the other. */
export function machine(moods: Moods, random: Draw): () => number {
  let level = 0;
  return () => {
    level += moods.walk * normalDraw(random);
    return Math.exp(level + moods.jitter * normalDraw(random));
  };
}

const BUCKETS = [
  ['attainment[0-1k]', 0, 1_000],
  ['attainment[1k-4k]', 1_000, 4_000],
  ['attainment[4k-16k]', 4_000, 16_001],
] as const;

/** Figures of one window: every request of it, TTFT up to 1 s and TPOT up to 15 ms. */
export function simulatedWindow(options: {
  readonly offeredRps: number;
  readonly durationSeconds: number;
  readonly seed: number;
  readonly factor: number;
}): WindowFigures {
  const { factor, durationSeconds } = options;
  const ttftNs: number[] = [];
  const tpotNs: number[] = [];
  const lengths: number[] = [];
  const counts = BUCKETS.map(() => ({ good: 0, offered: 0 }));
  let good = 0;
  const sink = {
    finished(arrival: number, prompt: number, output: number, first: number, last: number): void {
      const ttft = first - arrival;
      const tpot = (last - first) / (output - 1);
      const isGood = ttft <= 1 && tpot <= 0.015;
      ttftNs.push(ttft * 1e9);
      tpotNs.push(tpot * 1e9);
      lengths.push(output);
      if (isGood) good += 1;
      for (const [at, [, from, to]] of BUCKETS.entries()) {
        const count = counts[at];
        if (count === undefined || prompt < from || prompt >= to) continue;
        count.offered += 1;
        if (isGood) count.good += 1;
      }
    },
  };
  const settings = { ...SWEEP_DEFAULTS, leakTokens: 0, method: 'skip', observer: null } as const;
  const requests = sourceOf(collectRequests(sweepSource(options)));
  driveBatch(requests, { ...settings, cost: scaled(factor) }, sink);
  const offered = ttftNs.length;
  const byBucket = BUCKETS.map(([name], at) => [name, counts[at]] as const);
  return {
    unusable: null,
    values: {
      goodput: good / durationSeconds,
      attainment: good / offered,
      ...Object.fromEntries(
        byBucket.map(([name, count]) => [name, count?.offered ? count.good / count.offered : null]),
      ),
      failures: 0,
      'p50(ttft)': sampleQuantile(ttftNs, 0.5, 'nearestRank'),
      'p95(ttft)': sampleQuantile(ttftNs, 0.95, 'nearestRank'),
      'p50(tpot)': sampleQuantile(tpotNs, 0.5, 'nearestRank'),
      'p95(tpot)': sampleQuantile(tpotNs, 0.95, 'nearestRank'),
      outputTokens: lengths.reduce((sum, length) => sum + length, 0) / offered,
    },
    requests: {
      attainment: offered,
      ...Object.fromEntries(byBucket.map(([name, count]) => [name, count?.offered ?? 0])),
      failures: offered,
    },
  };
}

function scaled(factor: number): TwoLineCost {
  return {
    weightReadSeconds: SEED_COST.weightReadSeconds * factor,
    kvReadSecondsPerToken: SEED_COST.kvReadSecondsPerToken * factor,
    computeSecondsPerToken: SEED_COST.computeSecondsPerToken * factor,
    overheadSeconds: SEED_COST.overheadSeconds * factor,
  };
}
