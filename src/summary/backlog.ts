/** Whether the backlog kept growing: then every figure depends on how long the window was. */
import { BATCH_COUNT } from '../stats/index.ts';
import { levelsOver, type Stay } from './in-flight.ts';

/**
 * Whether the backlog grew while load was offered, by either of two rules on mean in-flight:
 * - {@link isLevelGrowing} over the middle and the last third;
 * - it never came back: every batch of the last third lay above the mean of the time before, and the
 *   rise exceeds what chance reaches in a steady queue. At exact capacity a backlog grows like √t:
 *   slowly, but it does not return, and the first rule alone overlooks half of those.
 *
 * How often each is right and wrong: docs/statistics.md. A closed loop has no backlog.
 */
export function isBacklogGrowing(
  stays: readonly Stay[],
  offering: { readonly fromNs: number; readonly toNs: number },
): boolean {
  return isPathGrowing(levelsOver(stays, offering, BATCH_COUNT));
}

/** The rules of {@link isBacklogGrowing} on the mean in-flight of equal parts of the window. */
export function isPathGrowing(levels: ArrayLike<number>): boolean {
  const parts = Array.from(levels);
  const third = Math.floor(parts.length / 3);
  const last = parts.slice(-third);
  const lastMean = meanOf(last);
  if (isLevelGrowing(meanOf(parts.slice(-2 * third, -third)), lastMean)) return true;
  const before = meanOf(parts.slice(0, -third));
  return Math.min(...last) > before && exceedsChance(before, lastMean);
}

/** Whether in-flight rose by 30 % from the middle to the last third, and by more than chance. */
export function isLevelGrowing(middleMean: number, lastMean: number): boolean {
  return lastMean > 1.3 * middleMean && exceedsChance(middleMean, lastMean);
}

function exceedsChance(from: number, to: number): boolean {
  return to - from > 2 * Math.sqrt(from);
}

function meanOf(levels: readonly number[]): number {
  return levels.reduce((sum, level) => sum + level, 0) / levels.length;
}
