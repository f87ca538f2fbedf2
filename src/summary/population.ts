/** Targets over a population: each met, missed, or not decided by this much data. */
import { assertNever, durationText } from '../base/index.ts';
import {
  quantileName,
  shareText,
  type Attainment,
  type Objective,
  type QuantileObjective,
} from '../slo/index.ts';
import { quantile, sortedCopy, wilsonInterval } from '../stats/index.ts';
import { CONFIDENCE_LEVEL, isEnoughFor } from './quantile-summary.ts';
import type { RequestRow } from './request-row.ts';
import { observed } from './strata.ts';
import type { Marginal, PopulationResult, StratumSummary, Summary } from './summary.ts';

export interface PopulationData {
  readonly rows: readonly RequestRow[];
  readonly attainment: Attainment;
  /** Pooled gaps of completed requests, ascending. */
  readonly gapsNs: Float64Array;
  /** Strata by the label the objective asks the worst of. */
  readonly groups: readonly StratumSummary[];
}

/** The result of every population target, in the objective's order. */
export function populationResultsOf(
  objective: Objective,
  data: PopulationData,
): PopulationResult[] {
  const { attainmentShare, successShare, quantiles, worst } = objective.population;
  const results: PopulationResult[] = [];
  if (attainmentShare !== null) {
    results.push(attainmentResult('attainment', data.attainment, attainmentShare));
  }
  if (successShare !== null) {
    const counted = data.rows.filter((row) => row.verdict !== 'excluded');
    const good = counted.filter((row) => row.correctness === 'met').length;
    const unknown = counted.filter((row) => row.correctness === 'unknown').length;
    results.push(shareResult('success', good, counted.length, unknown, successShare));
  }
  for (const target of quantiles) {
    results.push(quantileResult(target, sampleOf(target, objective, data), data.rows));
  }
  if (worst !== null) {
    const group = worstOf(data.groups);
    const name = `worst(${worst.by})`;
    results.push(
      group === null
        ? shareResult(name, 0, 0, 0, worst.attainmentShare)
        : attainmentResult(name, group.attainment, worst.attainmentShare),
    );
  }
  return results;
}

/** The group with the lowest attainment; `null` when none was offered anything. */
export function worstOf(groups: readonly StratumSummary[]): StratumSummary | null {
  let worst: StratumSummary | null = null;
  for (const group of groups) {
    if (group.attainment.share === null) continue;
    if (worst === null || group.attainment.share < (worst.attainment.share ?? 1)) worst = group;
  }
  return worst;
}

function attainmentResult(name: string, of: Attainment, target: number): PopulationResult {
  return shareResult(name, of.good, of.offered, of.unjudged, target);
}

/**
 * A share against its target: by what was seen, once the sample could support a claim (59 requests
 * for 95 %) and the unjudged could not turn it. A smaller sample can still show a plain miss.
 */
function shareResult(
  name: string,
  good: number,
  offered: number,
  unjudged: number,
  target: number,
): PopulationResult {
  const share = offered === 0 ? null : good / offered;
  return {
    target: `${name} >= ${shareText(target)}`,
    state: shareState(good, offered, unjudged, target),
    observed: share,
    limit: target,
  };
}

function shareState(
  good: number,
  offered: number,
  unjudged: number,
  target: number,
): PopulationResult['state'] {
  if (offered === 0) return 'notEnoughData';
  const best = good + unjudged;
  // Nothing good and nothing in doubt: a miss, however few there were.
  if (best === 0) return target > 0 ? 'missed' : 'met';
  if (good / offered < target && best / offered >= target) return 'notEnoughData';
  if (isEnoughFor(target, offered)) return good / offered >= target ? 'met' : 'missed';
  const interval = wilsonInterval(best, offered, CONFIDENCE_LEVEL);
  return interval !== null && interval.high < target ? 'missed' : 'notEnoughData';
}

/** The values a quantile target is about, ascending. */
interface Sample {
  readonly sorted: Float64Array;
  /** Requests they come from: of gaps, which hang together in an answer, at best so many count. */
  readonly requestCount: number;
}

function quantileResult(
  target: QuantileObjective,
  sample: Sample,
  rows: readonly RequestRow[],
): PopulationResult {
  const { sorted, requestCount } = sample;
  const name = `${quantileName(target.q)}(${target.measure})`;
  const named = { target: `${name} <= ${durationText(target.limitNs)}`, limit: target.limitNs };
  if (sorted.length === 0) return { ...named, state: stateWithoutValues(rows), observed: null };
  // Under nearest rank the q-quantile is within the limit just when a share q of the values is.
  const within = sorted.filter((value) => value <= target.limitNs).length / sorted.length;
  const atQuantile = quantile(sorted, target.q, 'nearestRank');
  return {
    ...named,
    state: quantileState(atQuantile, within, requestCount, target),
    observed: atQuantile,
  };
}

function quantileState(
  atQuantile: number,
  withinShare: number,
  n: number,
  target: QuantileObjective,
): PopulationResult['state'] {
  if (isEnoughFor(target.q, n)) return atQuantile <= target.limitNs ? 'met' : 'missed';
  const interval = wilsonInterval(Math.round(withinShare * n), n, CONFIDENCE_LEVEL);
  return interval !== null && interval.high < target.q ? 'missed' : 'notEnoughData';
}

/** A service that failed all it was offered missed every target; else nothing was seen. */
function stateWithoutValues(rows: readonly RequestRow[]): PopulationResult['state'] {
  const offered = rows.filter((row) => row.verdict !== 'excluded');
  const allFailed = offered.every((row) => row.outcome !== 'completed' && row.verdict === 'bad');
  return offered.length > 0 && allFailed ? 'missed' : 'notEnoughData';
}

function sampleOf(target: QuantileObjective, objective: Objective, data: PopulationData): Sample {
  const completed = data.rows.filter((row) => row.outcome === 'completed');
  const planned = objective.request.from === 'planned';
  const oneEach = (valueOf: (row: RequestRow) => number | null): Sample => {
    const sorted = sortedCopy(observed(completed, valueOf));
    return { sorted, requestCount: sorted.length };
  };
  switch (target.measure) {
    case 'ttft':
      return oneEach((row) => (planned ? row.ttftFromPlannedNs : row.ttftFromDispatchNs));
    case 'tpot':
      return oneEach((row) => row.tpotNs);
    case 'gap':
      return {
        sorted: data.gapsNs,
        requestCount: completed.filter((row) => row.gapCount > 0).length,
      };
    case 'e2e':
      return oneEach((row) => (planned ? row.completionFromPlannedNs : row.completionNs));
    default:
      return assertNever(target.measure);
  }
}

/**
 * Each latency alone against the attainment target: would a report of separate percentiles have
 * passed? Over completed requests whose value was observed, as such reports are. With limits by
 * prompt length, each value is held against its own limit.
 */
export function marginalsOf(rows: readonly RequestRow[], target: number | null): Marginal[] {
  if (target === null) return [];
  const completed = rows.filter((row) => row.outcome === 'completed');
  return (['ttft', 'tpot'] as const).flatMap((objective) => {
    const states = completed.flatMap((row) =>
      row.objectives.filter((entry) => entry.objective === objective).map((entry) => entry.state),
    );
    const met = states.filter((state) => state === 'met').length;
    const held = met + states.filter((state) => state === 'missed').length;
    if (held === 0) return [];
    const metShare = met / held;
    return [{ objective, q: target, metShare, passes: metShare >= target }];
  });
}

/** Missed if any target is, else undecided if any is, else met; `null` without targets. */
export function verdictOf(results: readonly PopulationResult[]): Summary['verdict'] {
  if (results.length === 0) return null;
  if (results.some((result) => result.state === 'missed')) return 'missed';
  return results.some((result) => result.state === 'notEnoughData') ? 'notEnoughData' : 'met';
}
