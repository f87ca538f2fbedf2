/** The largest load on a grid that still meets a target, and what stands in the way of more. */
import { assert } from '../base/index.ts';
import { SEED_COST, twoLineSeconds } from '../engine/index.ts';
import { type SweepOptions, sweepCounts } from './goodput-sweep.ts';
import type { AttainmentCounts } from './sweep-tally.ts';

export interface LoadCounts {
  readonly offeredRps: number;
  readonly counts: AttainmentCounts;
}

export type BindingObjective = 'ttft' | 'tpot';

export interface SweepCapacity {
  readonly targetShare: number;
  /** Every load tried, ascending. */
  readonly loads: readonly LoadCounts[];
  /** The largest load that meets the target; `null` when none does. */
  readonly capacity: LoadCounts | null;
  /** The load after it; `null` when none was tried. */
  readonly firstBeyond: LoadCounts | null;
  /** The objective more requests miss at {@link firstBeyond}; `null` when both miss as many. */
  readonly binds: BindingObjective | null;
  /** What a step with a full token budget costs: TPOT under overload, unless memory costs more. */
  readonly fullStepSeconds: number;
}

/** A grid is walked until fewer than half the target are met: no load further on can meet it. */
const HOPELESS_PART_OF_TARGET = 0.5;
const GRID_LOADS_MAX = 400;

/**
 * Tries the loads of `grid`, ascending. One draw each: neighbours of the target may meet or miss
 * it by chance, so the largest that meets it counts, whatever smaller ones do.
 */
export function sweepCapacity(
  grid: Iterable<number>,
  targetShare: number,
  options: SweepOptions,
): SweepCapacity {
  assert(targetShare > 0 && targetShare <= 1, `target share ${targetShare} is out of range`);
  const loads: LoadCounts[] = [];
  for (const offeredRps of grid) {
    const load = { offeredRps, counts: sweepCounts(offeredRps, options) };
    loads.push(load);
    if (load.counts.requests > 0 && shareOf(load) < HOPELESS_PART_OF_TARGET * targetShare) break;
  }
  const at = loads.findLastIndex((load) => shareOf(load) >= targetShare);
  const firstBeyond = loads[at + 1] ?? null;
  return {
    targetShare,
    loads,
    capacity: loads[at] ?? null,
    firstBeyond,
    binds: firstBeyond === null ? null : bindingObjective(firstBeyond.counts),
    fullStepSeconds: twoLineSeconds(SEED_COST, options.tokenBudget, 0),
  };
}

/** `step`, 2 · `step`, …: long enough for a replica, and finite where no objective ever fails. */
export function* rateGrid(stepRps: number): Generator<number> {
  for (let index = 1; index <= GRID_LOADS_MAX; index += 1) yield index * stepRps;
}

function shareOf({ counts }: LoadCounts): number {
  return counts.requests === 0 ? 0 : counts.good / counts.requests;
}

function bindingObjective({ ttftMisses, tpotMisses }: AttainmentCounts): BindingObjective | null {
  if (ttftMisses === tpotMisses) return null;
  return ttftMisses > tpotMisses ? 'ttft' : 'tpot';
}
