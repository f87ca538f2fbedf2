/**
 * Counts → windows: attainment with what is known of its error, beside the two p95s that a
 * dashboard would show, and where the two disagree.
 */
import { NS_PER_US } from '../base/index.ts';
import {
  attainmentOf,
  errorBudget,
  goodputRps,
  type Attainment,
  type ErrorBudget,
  type Objective,
  type ObjectiveName,
} from '../slo/index.ts';
import { binnedQuantile } from './latency-bin.ts';
import {
  SLICES_PER_WINDOW,
  type LimitCounts,
  type LogCounts,
  type SliceCounts,
} from './slice-counts.ts';
import type { StratumKey, WindowSpec } from './window-spec.ts';
import { standInDesignEffect, timeBatches, uncertaintyOf } from './window-uncertainty.ts';

/** The quantile dashboards show. */
export const DASHBOARD_Q = 0.95;
/** Below so many judged requests a share is not shown as one. */
export const LEAST_COUNT = 30;
/** Slices when there is one window over all. */
const SLICE_US = 60_000_000;

/** One latency as its own panel shows it. */
export interface PanelFigure extends LimitCounts {
  /** Within 1 %; `null` when nothing was observed. */
  readonly p95Ns: number | null;
  /** Whether the p95 is within the limit, by exact count; `null` without a limit or a request. */
  readonly passes: boolean | null;
}

/**
 * - `panelsPass`: every panel is green and the joint share misses;
 * - `panelsMiss`: a panel is red and the joint share is met.
 */
export type Disagreement = 'panelsPass' | 'panelsMiss';

/** One window of one stratum, or a total. */
export interface LogWindow {
  /** Microseconds since 1970; `null` = not cut by time. */
  readonly fromUs: number | null;
  readonly toUs: number | null;
  readonly stratum: Readonly<Partial<Record<StratumKey, string>>>;
  readonly attainment: Attainment;
  readonly excluded: number;
  readonly dropped: number;
  /** Of the bad: without a complete answer. */
  readonly failed: number;
  /** Of the bad: completed with a wrong answer, whatever its latency. */
  readonly incorrect: number;
  readonly goodputRps: number | null;
  readonly missed: Readonly<Partial<Record<ObjectiveName, number>>>;
  readonly ttft: PanelFigure;
  readonly tpot: PanelFigure;
  /** `null` also where the counts are too low to say. */
  readonly disagreement: Disagreement | null;
  /** Too few requests for a share: it is given as counts. */
  readonly lowTraffic: boolean;
}

export interface LogTable {
  readonly objectiveName: string;
  readonly by: WindowSpec;
  /** What the joint share is held against: the objective's target, or that of the panels. */
  readonly targetShare: number;
  readonly windows: readonly LogWindow[];
  /** One per stratum, over all time. */
  readonly strata: readonly LogWindow[];
  readonly total: LogWindow;
  /** `null` when the objective has no attainment target. */
  readonly budget: ErrorBudget | null;
}

/** The largest multiple of `lengthUs` not above `atUs`; 0 when not cut. */
export function floorTo(atUs: number, lengthUs: number | null): number {
  return lengthUs === null ? 0 : Math.floor(atUs / lengthUs) * lengthUs;
}

/** Slices are what intervals are made of. */
export function sliceUsOf({ windowUs }: WindowSpec): number {
  return windowUs === null ? SLICE_US : Math.max(1, Math.round(windowUs / SLICES_PER_WINDOW));
}

/** The table of a log. `leastCount`: see {@link LEAST_COUNT}. */
export function windowTable(
  counts: LogCounts,
  objective: Objective,
  by: WindowSpec,
  leastCount = LEAST_COUNT,
): LogTable {
  const targetShare = objective.population.attainmentShare ?? DASHBOARD_Q;
  const standIn = standInDesignEffect(
    groupsOf(counts, by, { time: true, stratum: false }).map(({ slices }) => timeBatches(slices)),
  );
  const make = (group: Group): LogWindow =>
    windowOf(group, { by, targetShare, leastCount, standIn });
  const groups = (keep: { readonly time: boolean; readonly stratum: boolean }): LogWindow[] =>
    groupsOf(counts, by, keep).map(make);
  const total = groups({ time: false, stratum: false })[0] ?? make(emptyGroup([]));
  const { attainmentShare } = objective.population;
  return {
    objectiveName: objective.name,
    by,
    targetShare,
    windows: by.windowUs === null ? [] : groups({ time: true, stratum: true }),
    strata: by.keys.length === 0 ? [] : groups({ time: false, stratum: true }),
    total,
    budget:
      attainmentShare === null
        ? null
        : errorBudget({
            targetShare: attainmentShare,
            offered: total.attainment.offered,
            bad: total.attainment.offered - total.attainment.good,
          }),
  };
}

interface Group {
  readonly fromUs: number | null;
  readonly values: readonly string[];
  readonly slices: SliceCounts[];
  readonly ttft: Map<number, number>;
  readonly tpot: Map<number, number>;
}

function emptyGroup(values: readonly string[], fromUs: number | null = null): Group {
  return { fromUs, values, slices: [], ttft: new Map(), tpot: new Map() };
}

/** Slices and bins by window, by stratum, by both or by neither; in order of time, then stratum. */
function groupsOf(
  counts: LogCounts,
  by: WindowSpec,
  keep: { readonly time: boolean; readonly stratum: boolean },
): Group[] {
  const groups = new Map<string, Group>();
  const groupAt = (atUs: number, all: readonly string[]): Group => {
    const fromUs = keep.time ? floorTo(atUs, by.windowUs) : null;
    const values = keep.stratum ? all : [];
    const key = `${fromUs}\n${values.join('\n')}`;
    const group = groups.get(key) ?? emptyGroup(values, fromUs);
    groups.set(key, group);
    return group;
  };
  for (const slice of counts.slices) groupAt(slice.fromUs, slice.values).slices.push(slice);
  for (const { fromUs, values, measure, bin, count } of counts.bins) {
    const bins = groupAt(fromUs, values)[measure];
    bins.set(bin, (bins.get(bin) ?? 0) + count);
  }
  return [...groups.values()].toSorted(
    (a, b) => (a.fromUs ?? 0) - (b.fromUs ?? 0) || compareValues(a.values, b.values),
  );
}

/** `4k-16k` after `1k-4k`: numbers inside words by size. */
function compareValues(a: readonly string[], b: readonly string[]): number {
  return a.join('\n').localeCompare(b.join('\n'), 'en', { numeric: true });
}

function windowOf(
  group: Group,
  {
    by,
    targetShare,
    leastCount,
    standIn,
  }: {
    readonly by: WindowSpec;
    readonly targetShare: number;
    readonly leastCount: number;
    readonly standIn: number;
  },
): LogWindow {
  const sum = (of: (slice: SliceCounts) => number): number =>
    group.slices.reduce((total, slice) => total + of(slice), 0);
  const tally = {
    good: sum((slice) => slice.good),
    bad: sum((slice) => slice.bad),
    unjudged: sum((slice) => slice.unjudged),
    excluded: sum((slice) => slice.excluded),
    dropped: sum((slice) => slice.dropped),
  };
  const attainment = attainmentOf(
    tally,
    'offered',
    uncertaintyOf(timeBatches(group.slices), standIn),
  );
  const ttft = panelOf(group.ttft, sumLimits(group.slices, 'ttft'));
  const tpot = panelOf(group.tpot, sumLimits(group.slices, 'tpot'));
  const lowTraffic = attainment.offered < leastCount;
  const spanUs = group.fromUs === null ? spanOf(group.slices, by) : by.windowUs;
  return {
    fromUs: group.fromUs,
    toUs: group.fromUs === null || by.windowUs === null ? null : group.fromUs + by.windowUs,
    stratum: Object.fromEntries(group.values.map((value, at) => [by.keys[at], value])),
    attainment,
    excluded: tally.excluded,
    dropped: tally.dropped,
    failed: sum((slice) => slice.failed),
    incorrect: sum((slice) => slice.incorrect),
    goodputRps: spanUs === null ? null : goodputRps(tally.good, spanUs * NS_PER_US),
    missed: sumMissed(group.slices),
    ttft,
    tpot,
    disagreement: lowTraffic ? null : disagreementOf(attainment, [ttft, tpot], targetShare),
    lowTraffic,
  };
}

/** From the first slice to the end of the last. */
function spanOf(slices: readonly SliceCounts[], by: WindowSpec): number | null {
  if (slices.length === 0) return null;
  const starts = slices.map((slice) => slice.fromUs);
  const first = starts.reduce((a, b) => Math.min(a, b));
  return starts.reduce((a, b) => Math.max(a, b)) - first + sliceUsOf(by);
}

function sumLimits(slices: readonly SliceCounts[], measure: 'ttft' | 'tpot'): LimitCounts {
  return slices.reduce(
    (sum, slice) => ({
      observed: sum.observed + slice[measure].observed,
      within: sum.within + slice[measure].within,
    }),
    { observed: 0, within: 0 },
  );
}

function sumMissed(slices: readonly SliceCounts[]): Partial<Record<ObjectiveName, number>> {
  const missed: Partial<Record<ObjectiveName, number>> = {};
  for (const slice of slices) {
    for (const [name, count] of Object.entries(slice.missed) as [ObjectiveName, number][]) {
      missed[name] = (missed[name] ?? 0) + count;
    }
  }
  return missed;
}

/** p95 ≤ limit exactly when at least ⌈0.95·n⌉ lie within it: by count, not by bin. */
function panelOf(bins: ReadonlyMap<number, number>, counts: LimitCounts): PanelFigure {
  const { observed, within } = counts;
  return {
    observed,
    within,
    p95Ns: binnedQuantile(bins, DASHBOARD_Q),
    passes: observed === 0 ? null : within >= Math.ceil(DASHBOARD_Q * observed),
  };
}

function disagreementOf(
  { share }: Attainment,
  panels: readonly PanelFigure[],
  targetShare: number,
): Disagreement | null {
  const asked = panels.filter((panel) => panel.passes !== null);
  if (share === null || asked.length === 0) return null;
  const allPass = asked.every((panel) => panel.passes);
  if (allPass) return share < targetShare ? 'panelsPass' : null;
  return share >= targetShare ? 'panelsMiss' : null;
}
