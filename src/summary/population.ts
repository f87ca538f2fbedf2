/** Targets over a population: each met, missed, or not decided by this much data. */
import { assertNever, durationText } from '../base/index.ts';
import {
  quantileName,
  shareText,
  type Attainment,
  type Objective,
  type QuantileObjective,
} from '../slo/index.ts';
import { sortedCopy, type TimeBatch, wilsonInterval } from '../stats/index.ts';
import { attainmentCounts } from './attainment.ts';
import type { TimedRanks } from './gap-pool.ts';
import {
  batchesOf,
  CONFIDENCE_LEVEL,
  type Inference,
  pooledInference,
  shareUncertainty,
} from './inference.ts';
import { type RankedNumbers, rankedOf } from './number-tally.ts';
import { type Claim, NO_PROOF, type Proof, proofOf } from './proof.ts';
import { isEnoughFor, withinOf } from './quantile-summary.ts';
import type { RequestRow } from './request-row.ts';
import { observed } from './strata.ts';
import type { Marginal, PopulationResult, StratumSummary, Summary } from './summary.ts';

export interface PopulationData {
  readonly rows: readonly RequestRow[];
  readonly attainment: Attainment;
  /** Pooled gaps of completed requests. */
  readonly gaps: TimedRanks;
  /** Strata by the label the objective asks the worst of. */
  readonly groups: readonly StratumSummary[];
  /** `null` = nothing is to be proven. */
  readonly inference: Inference | null;
}

/** What a share target counts of one request. */
type Counting = (row: RequestRow) => TimeBatch;

/** The result of every population target, in the objective's order. */
export function populationResultsOf(
  objective: Objective,
  data: PopulationData,
): PopulationResult[] {
  const { attainmentShare, successShare, quantiles, worst } = objective.population;
  const results: PopulationResult[] = [];
  if (attainmentShare !== null) {
    const { good, offered, unjudged } = data.attainment;
    const counted = { good, offered, unjudged, target: attainmentShare };
    results.push(shareResult('attainment', counted, data, attainmentCounts));
  }
  if (successShare !== null) {
    const counted = data.rows.filter((row) => row.verdict !== 'excluded');
    const good = counted.filter((row) => row.correctness === 'met').length;
    const unknown = counted.filter((row) => row.correctness === 'unknown').length;
    const seen = { good, offered: counted.length, unjudged: unknown, target: successShare };
    results.push(shareResult('success', seen, data, successCounts));
  }
  for (const target of quantiles) {
    results.push(quantileResult(target, sampleOf(target, objective, data), data));
  }
  if (worst !== null) {
    results.push(worstResult(worst, data));
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

/** Met by all groups or missed by the worst: proven when that is. */
function worstResult(
  { by, attainmentShare: target }: NonNullable<Objective['population']['worst']>,
  data: PopulationData,
): PopulationResult {
  const group = worstOf(data.groups);
  const { good, offered, unjudged } = group?.attainment ?? { good: 0, offered: 0, unjudged: 0 };
  const rowsOf = (name: string): RequestRow[] =>
    data.rows.filter((row) => (row[by] ?? 'unlabelled') === name);
  const resultOf = (name: string, of: Omit<Counted, 'target'>): PopulationResult =>
    shareResult(
      `worst(${by})`,
      { ...of, target },
      { ...data, rows: rowsOf(name) },
      attainmentCounts,
    );
  const worst = resultOf(group?.name ?? '', { good, offered, unjudged });
  if (worst.state !== 'met') return worst;
  const others = data.groups.filter((other) => other.attainment.offered > 0);
  const unproven = others
    .map((other) => resultOf(other.name, other.attainment))
    .find(({ proven }) => !proven);
  return { ...worst, proven: unproven === undefined, toProve: unproven?.toProve ?? null };
}

interface Counted extends Omit<Claim, 'state'> {
  readonly good: number;
  readonly offered: number;
}

/**
 * A share against its target: by what was seen, once the sample could support a claim if requests
 * were independent (59 for 95 %) and the unjudged could not turn it. A smaller sample can still show
 * a plain miss. Whether it is proven, though requests share a queue, stands beside it.
 */
function shareResult(
  name: string,
  { good, offered, unjudged, target }: Counted,
  { rows, inference }: Pick<PopulationData, 'rows' | 'inference'>,
  countsOf: Counting,
): PopulationResult {
  const state = shareState(good, offered, unjudged, target);
  const proof =
    inference === null
      ? NO_PROOF
      : proofOf(inference, batchesOf(inference, rows, countsOf), { state, target, unjudged });
  return {
    target: `${name} >= ${shareText(target)}`,
    state,
    observed: offered === 0 ? null : good / offered,
    limit: target,
    ...proof,
  };
}

function successCounts(row: RequestRow): TimeBatch {
  const good = row.verdict !== 'excluded' && row.correctness === 'met' ? 1 : 0;
  return { good, offered: row.verdict === 'excluded' ? 0 : 1 };
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

/** The values a quantile target is about. */
interface Sample {
  readonly ranked: RankedNumbers;
  /** Requests they come from: of gaps, which hang together in an answer, at best so many count. */
  readonly requestCount: number;
  /** The value of each request, or the gaps by time. */
  readonly from: ((row: RequestRow) => number | null) | TimedRanks['slots'];
}

function quantileResult(
  target: QuantileObjective,
  sample: Sample,
  { rows, inference }: PopulationData,
): PopulationResult {
  const { ranked, requestCount } = sample;
  const name = `${quantileName(target.q)}(${target.measure})`;
  const named = { target: `${name} <= ${durationText(target.limitNs)}`, limit: target.limitNs };
  if (ranked.length === 0) {
    return { ...named, state: stateWithoutValues(rows), observed: null, ...NO_PROOF };
  }
  // Under nearest rank the q-quantile is within the limit just when a share q of the values is.
  const within = ranked.countUpTo(target.limitNs) / ranked.length;
  const atQuantile = ranked.quantile(target.q);
  const state = quantileState(atQuantile, within, requestCount, target);
  return {
    ...named,
    state,
    observed: atQuantile,
    ...quantileProof(state, target, sample, rows, inference),
  };
}

/** The quantile is within the limit just when a share q of the values is: that share is proven. */
function quantileProof(
  state: PopulationResult['state'],
  { q, limitNs }: QuantileObjective,
  { ranked, requestCount, from }: Sample,
  rows: readonly RequestRow[],
  inference: Inference | null,
): Proof {
  if (inference === null) return NO_PROOF;
  if (typeof from !== 'function') {
    const pooled = pooledInference(inference, requestCount, ranked.length);
    const claim = { state, target: q, unjudged: 0 };
    return inRequests(
      proofOf(pooled, withinOf(from, limitNs), claim),
      requestCount / ranked.length,
    );
  }
  const batches = batchesOf(inference, rows, (row) => {
    const value = row.outcome === 'completed' ? from(row) : null;
    return { good: value !== null && value <= limitNs ? 1 : 0, offered: value === null ? 0 : 1 };
  });
  return proofOf(inference, batches, { state, target: q, unjudged: 0 });
}

/** Proof over gaps counts gaps: what it would take is told in requests. */
function inRequests({ proven, toProve }: Proof, requestsEach: number): Proof {
  if (toProve === null) return { proven, toProve };
  return { proven, toProve: { ...toProve, requests: Math.ceil(toProve.requests * requestsEach) } };
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
    const ranked = rankedOf(sortedCopy(observed(completed, valueOf)));
    return { ranked, requestCount: ranked.length, from: valueOf };
  };
  switch (target.measure) {
    case 'ttft':
      return oneEach((row) => (planned ? row.ttftFromPlannedNs : row.ttftFromDispatchNs));
    case 'firstAnswer':
      return oneEach((row) =>
        planned ? row.firstAnswerFromPlannedNs : row.firstAnswerFromDispatchNs,
      );
    case 'tpot':
      return oneEach((row) => row.tpotNs);
    case 'gap':
      return {
        ranked: data.gaps.all,
        requestCount: completed.filter((row) => row.gapCount > 0).length,
        from: data.gaps.slots,
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
export function marginalsOf(
  rows: readonly RequestRow[],
  target: number | null,
  inference: Inference,
): Marginal[] {
  if (target === null) return [];
  const completed = rows.filter((row) => row.outcome === 'completed');
  return (['ttft', 'tpot'] as const).flatMap((objective) => {
    const batches = batchesOf(inference, completed, (row) => {
      const states = row.objectives
        .filter((entry) => entry.objective === objective)
        .map(({ state }) => state);
      const met = states.filter((state) => state === 'met').length;
      return { good: met, offered: met + states.filter((state) => state === 'missed').length };
    });
    const met = batches.reduce((sum, { good }) => sum + good, 0);
    const held = batches.reduce((sum, { offered }) => sum + offered, 0);
    if (held === 0) return [];
    const metShare = met / held;
    const { interval } = shareUncertainty(inference, batches);
    return [{ objective, q: target, metShare, interval, passes: metShare >= target }];
  });
}

/** A miss is proven by one target, all else by every one; `null` without targets. */
export function isProven(results: readonly PopulationResult[]): Summary['proven'] {
  if (results.length === 0) return null;
  const missed = results.filter(({ state }) => state === 'missed');
  return missed.length > 0
    ? missed.some(({ proven }) => proven)
    : results.every(({ proven }) => proven);
}

/** Missed if any target is, else undecided if any is, else met; `null` without targets. */
export function verdictOf(results: readonly PopulationResult[]): Summary['verdict'] {
  if (results.length === 0) return null;
  if (results.some((result) => result.state === 'missed')) return 'missed';
  return results.some((result) => result.state === 'notEnoughData') ? 'notEnoughData' : 'met';
}
