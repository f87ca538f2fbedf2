/** Capacity searches on the engine whose truth can be computed: the goodput sweep without its leak. */
import { SEED_COST } from '../../src/engine/index.ts';
import {
  type CapacityEstimate,
  type Effort,
  estimateCapacity,
  nextStep,
  type SearchPlan,
  type SearchWindow,
  spentSeconds,
} from '../../src/planner/index.ts';
import { driveBatch, SWEEP_DEFAULTS, sweepSource } from '../../src/simulator/index.ts';
import { sequentialSide, type TimeBatch } from '../../src/stats/index.ts';

export const TARGET_SHARE = 0.95;
/** False decisions per coarse window, as `goodput capacity` allows them. */
const ALPHA = 0.05;
const BATCHES = 12;
/** Arrivals go on for so long after the judged part, so that its last requests see the load too. */
const AFTER_SECONDS = 20;

export interface ReferenceWindow {
  readonly rps: number;
  readonly seed: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
  readonly stopsEarly: boolean;
}

/** Serves one window. Batches that lie beyond an early end are left out. */
export function measureWindow(window: ReferenceWindow): Omit<SearchWindow, 'phase' | 'level'> {
  const { rps, seed, warmupSeconds, seconds, stopsEarly } = window;
  const batches = Array.from({ length: BATCHES }, () => ({ good: 0, offered: 0 }));
  let insideSeconds = 0;
  const batchSeconds = seconds / BATCHES;
  const { tokenBudget, maxSequences, objective } = SWEEP_DEFAULTS;
  const durationSeconds = warmupSeconds + seconds + AFTER_SECONDS;
  driveBatch(
    sweepSource({ offeredRps: rps, durationSeconds, seed }),
    { cost: SEED_COST, tokenBudget, maxSequences, leakTokens: 0, method: 'skip', observer: null },
    {
      finished(arrival, _prompt, output, first, last): void {
        const batch = batches[Math.floor((arrival - warmupSeconds) / batchSeconds)];
        if (batch === undefined) return;
        batch.offered += 1;
        insideSeconds += last - arrival;
        const meetsTtft = first - arrival <= objective.ttftSeconds;
        if (meetsTtft && (last - first) / (output - 1) <= objective.tpotSeconds) {
          batch.good += 1;
        }
      },
    },
  );
  const answerSeconds = insideSeconds / totalsOf(batches).offered;
  const looks = stopsEarly ? BATCHES - 1 : 0;
  for (let count = 1; count <= looks; count += 1) {
    const side = sequentialSide(batches.slice(0, count), { target: TARGET_SHARE, alpha: ALPHA });
    if (side === null) continue;
    return {
      ...totalsOf(batches.slice(0, count)),
      measuredSeconds: count * batchSeconds,
      answerSeconds,
      ending: side === 'above' ? 'clearlyMet' : 'clearlyMissed',
    };
  }
  return { ...totalsOf(batches), measuredSeconds: seconds, answerSeconds, ending: 'full' };
}

export interface ReferenceSearch {
  readonly estimate: CapacityEstimate;
  readonly windows: readonly SearchWindow[];
  readonly spentSeconds: number;
}

/** One search from 1/s on, with requests of its own. */
export function searchReference(effort: Effort, seed: number): ReferenceSearch {
  const plan: SearchPlan = {
    targetShare: TARGET_SHARE,
    startRps: 1,
    maxRps: null,
    bracketSeconds: effort.bracketSeconds,
    windowSeconds: effort.windowSeconds,
    budgetSeconds: effort.budgetSeconds,
    wantedHalfWidthShare: null,
  };
  const windows: SearchWindow[] = [];
  for (;;) {
    const step = nextStep(plan, windows);
    if (step.kind === 'done') break;
    const { phase, level, seconds, stopsEarly } = step;
    const { warmupSeconds } = effort;
    const own = seed * 1_000 + windows.length;
    const told = measureWindow({ rps: level, seed: own, warmupSeconds, seconds, stopsEarly });
    windows.push({ phase, level, ...told });
  }
  return {
    estimate: estimateCapacity(plan, windows),
    windows,
    spentSeconds: spentSeconds(windows),
  };
}

/** What most tools do: halve an interval by single windows, whatever chance made of each. */
export function bisectReference(
  effort: Effort,
  seed: number,
): { readonly rps: number; readonly windows: number } {
  let low = 4;
  let high = 12;
  const windows = Math.floor(effort.budgetSeconds / effort.windowSeconds);
  for (let at = 0; at < windows; at += 1) {
    const rps = (low + high) / 2;
    const { good, offered } = measureWindow({
      rps,
      seed: seed * 1_000 + at,
      warmupSeconds: effort.warmupSeconds,
      seconds: effort.windowSeconds,
      stopsEarly: false,
    });
    if (good / offered >= TARGET_SHARE) low = rps;
    else high = rps;
  }
  return { rps: (low + high) / 2, windows };
}

/**
 * The rate at which attainment is 95 % in the long run: good and requests of long runs pooled at
 * each of the given rates, and the straight line through their logits.
 */
export function referenceTruth(options: {
  readonly rates: readonly number[];
  readonly runs: number;
  readonly seconds: number;
}): { readonly rps: number; readonly shares: readonly (readonly [number, number])[] } {
  const shares = options.rates.map((rps) => {
    let good = 0;
    let offered = 0;
    for (let run = 0; run < options.runs; run += 1) {
      const seed = 77_000_000 + run * 1_000 + Math.round(rps * 100);
      const window = { rps, seed, warmupSeconds: 60, seconds: options.seconds, stopsEarly: false };
      const told = measureWindow(window);
      good += told.good;
      offered += told.offered;
    }
    return [rps, good / offered] as const;
  });
  const logits = shares.map(([, share]) => Math.log(share / (1 - share)));
  const meanRps = mean(options.rates);
  const meanLogit = mean(logits);
  const slope =
    options.rates.reduce(
      (sum, rps, at) => sum + (rps - meanRps) * ((logits[at] ?? 0) - meanLogit),
      0,
    ) / options.rates.reduce((sum, rps) => sum + (rps - meanRps) ** 2, 0);
  const wanted = Math.log(TARGET_SHARE / (1 - TARGET_SHARE));
  return { rps: meanRps + (wanted - meanLogit) / slope, shares };
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function totalsOf(batches: readonly TimeBatch[]): {
  readonly good: number;
  readonly offered: number;
} {
  return {
    good: batches.reduce((sum, batch) => sum + batch.good, 0),
    offered: batches.reduce((sum, batch) => sum + batch.offered, 0),
  };
}
