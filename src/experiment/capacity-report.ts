/** Everything a capacity search concludes, from its windows and their summaries. */
import { objectiveText, type Objective } from '../slo/index.ts';
import {
  CAPACITY_SCHEMA_VERSION,
  type CapacityEstimate,
  type CapacityReport,
  type CapacityWindow,
  estimateCapacity,
  isDeclared,
  isUsable,
  judgeDemand,
  ladderEnds,
  type LoadPrices,
  rungsOf,
  searchCost,
  type SearchEnd,
  secondsToReach,
  spentSeconds,
  usableShare,
} from '../planner/index.ts';
import type { Manifest } from '../record/index.ts';
import type { PointSummary } from '../summary/index.ts';
import { attainmentCurve, figuresAt, judgedWindows, otherTargets } from './capacity-figures.ts';
import type { RunPlan } from './plan-run.ts';
import type { CapacitySearch } from './search-capacity.ts';

export interface ReportInputs {
  readonly search: CapacitySearch;
  readonly objective: Objective;
  readonly plan: RunPlan;
  readonly planned: CapacityReport['planned'];
  readonly manifest: Manifest;
  readonly windows: readonly CapacityWindow[];
  readonly toolVersion: string;
}

/** What a "tighter answer" is asked about. */
const TIGHTER_SHARE = 0.02;
const INTERVAL_LEVEL = 0.95;

/** `points`: summaries of the windows; empty while the search goes on. */
export function capacityReport(
  inputs: ReportInputs,
  points: readonly PointSummary[],
  end: SearchEnd,
): CapacityReport {
  const { search, windows, manifest, objective, planned, toolVersion } = inputs;
  const estimate = search.plan.kind === 'open' ? estimateCapacity(search.plan, windows) : null;
  const rungs = search.plan.kind === 'closed' ? rungsOf(search.plan, windows) : null;
  const largestStreams = ladderEnds(search.plan, windows).met?.streams ?? null;
  const level = estimate === null ? largestStreams : estimate.rps;
  const judged = judgedWindows(windows, points);
  return {
    schemaVersion: CAPACITY_SCHEMA_VERSION,
    tool: { name: 'goodput', version: toolVersion },
    experimentHash: manifest.experimentHash,
    source: manifest.source === 'simulated' ? 'simulated' : 'measured',
    effort: search.effort,
    warmupSeconds: search.warmupSeconds,
    objective: objectiveText(objective),
    plan: search.plan,
    planned,
    windows: [...windows],
    end,
    capacity: estimate === null ? null : capacityOf(estimate),
    ladder: rungs === null ? null : { rungs, largestStreams },
    curve: attainmentCurve(windows, estimate),
    atCapacity: level === null ? null : figuresAt(level, judged),
    otherTargets: level === null ? [] : otherTargets(level, judged),
    ...demandPart(search, estimate),
    stepTimeBand: null,
    spent: spentCost(inputs, points),
    tighter: estimate === null ? null : tighterCost(inputs, estimate),
  };
}

/** What a search of so many seconds takes at the rate it starts with. */
export function plannedCost(
  search: CapacitySearch,
  plan: RunPlan,
  seconds: number,
): CapacityReport['planned'] {
  const { estimate } = plan;
  const rps = estimate.requests / Math.max(1e-9, estimate.durationNs / 1e9);
  return searchCost({ seconds, rps }, pricesOf(search, plan));
}

function capacityOf(estimate: CapacityEstimate): NonNullable<CapacityReport['capacity']> {
  const { rps, interval, plannableRps, noInterval, bracket, dispersion, rise } = estimate;
  return {
    rps,
    lowRps: interval?.lowRps ?? null,
    highRps: interval?.highRps ?? null,
    level: INTERVAL_LEVEL,
    plannableRps,
    noInterval,
    ...bracket,
    dispersion,
    windowsFitted: estimate.windowsFitted,
    rise:
      rise === null
        ? null
        : { fromRps: rise.fromLoad, belowShare: rise.belowShare, fromShare: rise.fromShare },
  };
}

function demandPart(
  { headroom, demandRps }: CapacitySearch,
  estimate: CapacityEstimate | null,
): Pick<CapacityReport, 'headroom' | 'demand'> {
  if (estimate === null) return { headroom: null, demand: null };
  const { plannableRps, rps, interval } = estimate;
  const part = usableShare(headroom);
  const averageRps = plannableRps === null ? null : plannableRps * part;
  return {
    headroom: isDeclared(headroom) ? { ...headroom, usableShare: part, averageRps } : null,
    demand:
      demandRps === null
        ? null
        : {
            averageRps: demandRps,
            requiredRps: demandRps / part,
            verdict: judgeDemand(demandRps / part, {
              rps,
              plannableRps,
              highRps: interval?.highRps ?? null,
            }),
          },
  };
}

function spentCost(
  { search, plan, windows }: ReportInputs,
  points: readonly PointSummary[],
): CapacityReport['spent'] {
  const seconds = spentSeconds(windows) + windows.filter(isUsable).length * search.warmupSeconds;
  const requests =
    points.length === 0
      ? windows.reduce((sum, { offered }) => sum + offered, 0)
      : points.reduce((sum, { ledger }) => sum + ledger.scheduled, 0);
  const rps = seconds === 0 ? 0 : requests / seconds;
  return searchCost({ seconds, rps }, pricesOf(search, plan));
}

/** `null` when the interval is that narrow, or there is none to narrow. */
function tighterCost(
  { search, plan, windows }: ReportInputs,
  { rps, interval }: CapacityEstimate,
): CapacityReport['tighter'] {
  if (rps === null || interval === null) return null;
  const measuredSeconds = windows
    .filter((window) => window.phase === 'local' && isUsable(window))
    .reduce((sum, window) => sum + window.measuredSeconds, 0);
  const halfWidthShare = (interval.highRps - interval.lowRps) / 2 / rps;
  const judged = secondsToReach(TIGHTER_SHARE, { halfWidthShare, measuredSeconds });
  if (judged === 0) return null;
  const warmups = Math.ceil(judged / search.plan.windowSeconds) * search.warmupSeconds;
  return searchCost({ seconds: judged + warmups, rps }, pricesOf(search, plan));
}

/** What a request weighs, from the schedule of the first window. */
function pricesOf({ pricePerHourUsd }: CapacitySearch, { estimate }: RunPlan): LoadPrices {
  const { requests, promptTokens, promptTokensUnknown, costUsd } = estimate;
  const { outputTokensMax, outputTokensUnknown } = estimate;
  const each = (tokens: number, unknown: number): number | null =>
    unknown > 0 || requests === 0 ? null : tokens / requests;
  return {
    inputTokensPerRequest: each(promptTokens, promptTokensUnknown),
    outputTokensPerRequest: each(outputTokensMax, outputTokensUnknown),
    costPerRequestUsd: costUsd === null || requests === 0 ? null : costUsd / requests,
    pricePerHourUsd,
  };
}
