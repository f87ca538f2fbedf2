/**
 * The closed-loop ladder: the largest number of requests in flight that meets the objective. No
 * capacity: a closed loop slows down with its server and never overloads it.
 */
import { studentTQuantile } from '../stats/index.ts';
import {
  deadEnd,
  isUsable,
  type SearchEnd,
  type SearchStep,
  type SearchWindow,
  spentSeconds,
} from './search-window.ts';

export interface LadderPlan {
  readonly targetShare: number;
  readonly startStreams: number;
  readonly maxStreams: number;
  readonly windowSeconds: number;
  readonly budgetSeconds: number;
}

/** All windows of one level together. */
export interface Rung {
  readonly streams: number;
  readonly windows: number;
  readonly share: number;
  readonly met: boolean;
  /**
   * One-sided 95 % lower bound of the share by Student's t over the windows; `null` with fewer
   * than three.
   */
  readonly lowShare: number | null;
}

/** Levels nearer than this share of each other are not told apart. */
const NEIGHBOURS_SHARE = 0.05;
const WINDOWS_FOR_BOUND = 3;

/** Doubles until a level misses, halves the gap, then repeats both sides while the budget lasts. */
export function nextRung(plan: LadderPlan, windows: readonly SearchWindow[]): SearchStep {
  const done = (reason: SearchEnd): SearchStep => ({ kind: 'done', reason });
  const dead = deadEnd(windows);
  if (dead !== null) return done(dead);
  if (plan.budgetSeconds - spentSeconds(windows) < plan.windowSeconds) return done('budgetSpent');
  const { met, missed } = ladderEnds(plan, windows);
  const at = (level: number, phase: 'bracket' | 'boundary'): SearchStep => ({
    kind: 'window',
    phase,
    level,
    seconds: plan.windowSeconds,
    stopsEarly: false,
  });
  if (met === null && missed === null) return at(plan.startStreams, 'bracket');
  if (missed === null) {
    const { streams } = met as Rung;
    if (streams >= plan.maxStreams) return done('metEverywhere');
    return at(Math.min(2 * streams, plan.maxStreams), 'bracket');
  }
  if (met === null) {
    if (missed.streams <= 1) return done('missedEverywhere');
    return at(Math.floor(missed.streams / 2), 'bracket');
  }
  if (missed.streams - met.streams > Math.max(1, met.streams * NEIGHBOURS_SHARE)) {
    return at(Math.floor((met.streams + missed.streams) / 2), 'bracket');
  }
  const enough = [met, missed].every((rung) => rung.windows >= WINDOWS_FOR_BOUND);
  if (enough) return done('precise');
  return at((met.windows <= missed.windows ? met : missed).streams, 'boundary');
}

/** The highest level that meets the target with all its windows, and the lowest above that misses. */
export function ladderEnds(
  plan: Pick<LadderPlan, 'targetShare'>,
  windows: readonly SearchWindow[],
): { readonly met: Rung | null; readonly missed: Rung | null } {
  const rungs = rungsOf(plan, windows);
  // A level below one that missed counts; one above it may have been luck.
  const firstMiss = rungs.find((rung) => !rung.met) ?? null;
  const below = rungs.filter(
    (rung) => rung.met && (firstMiss === null || rung.streams < firstMiss.streams),
  );
  return { met: below.at(-1) ?? null, missed: firstMiss };
}

/** Every level looked at, ascending. */
export function rungsOf(
  { targetShare }: Pick<LadderPlan, 'targetShare'>,
  windows: readonly SearchWindow[],
): Rung[] {
  const usable = windows.filter((window) => isUsable(window) && window.offered > 0);
  const levels = [...new Set(usable.map(({ level }) => level))].toSorted((a, b) => a - b);
  return levels.map((streams) => {
    const own = usable.filter(({ level }) => level === streams);
    const good = own.reduce((sum, window) => sum + window.good, 0);
    const share = good / own.reduce((sum, window) => sum + window.offered, 0);
    return {
      streams,
      windows: own.length,
      share,
      met: share >= targetShare && own.every(({ ending }) => ending !== 'broken'),
      lowShare: lowerBound(own.map(({ good: met, offered }) => met / offered)),
    };
  });
}

function lowerBound(shares: readonly number[]): number | null {
  const n = shares.length;
  if (n < WINDOWS_FOR_BOUND) return null;
  const mean = shares.reduce((sum, share) => sum + share, 0) / n;
  const variance = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / (n - 1);
  return Math.max(0, mean - studentTQuantile(0.95, n - 1) * Math.sqrt(variance / n));
}
