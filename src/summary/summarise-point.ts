/** From the rows of one load point to its published summary. */
import type { ManifestPoint, RunCalibration } from '../record/index.ts';
import {
  bucketLabel,
  DEFAULT_OUTPUT_BUCKETS,
  promptBucketsOf,
  type Objective,
  type Verdict,
} from '../slo/index.ts';
import { attainmentOfRows } from './attainment.ts';
import { isBacklogGrowing } from './backlog.ts';
import { type GapPool, NO_GAPS, type TimedRanks } from './gap-pool.ts';
import { inFlightOver, type Stay } from './in-flight.ts';
import {
  dropReasonsOf,
  failureClassesOf,
  finishReasonsOf,
  ledgerOf,
  unjudgedReasonsOf,
} from './ledger.ts';
import { inferenceOf } from './inference.ts';
import { littlesLawOf, staysOf } from './littles-law.ts';
import { missesOf } from './misses.ts';
import { marginalsOf, populationResultsOf } from './population.ts';
import { phasesOf, type Populations } from './phases.ts';
import { pooledQuantileSummary, quantileSummary } from './quantile-summary.ts';
import { cohortWindow, isJudged, ratesOver, steadyWindow, total, wallWindow } from './rates.ts';
import type { RequestRow } from './request-row.ts';
import type { RequestRows } from './request-rows.ts';
import type { ScheduleWatch } from './schedule-watch.ts';
import type { BookedSession, SessionBook } from './session-book.ts';
import { sessionStarts, sessionsSummary } from './sessions.ts';
import { completedQuantiles, orderedValues, type Population, strataBy } from './strata.ts';
import type { PointSummary, Rates, StratumSummary, Window } from './summary.ts';
import { warmUpOf } from './warm-up.ts';
import type { TokenWatch } from './token-agreement.ts';
import type { ToldTally } from './told-tally.ts';
import { triesSummary } from './tries.ts';
import { clientReachOf } from './validity-client.ts';
import { validityOf, type ValidityEvidence } from './validity.ts';

/** What is kept of a point: a few numbers a request, and every gap of the answers judged. */
export interface PointData {
  /** One a request. */
  readonly rows: RequestRows;
  /** The tries behind the rows that join some. */
  readonly joinedTries: RequestRows;
  /** Whether requests could be tried again. */
  isRetried: boolean;
  readonly told: ToldTally;
  readonly tokens: TokenWatch;
  notReached: number;
  readonly sessions: SessionBook;
  readonly gaps: GapPool;
  /** Completed, judged requests that gave token gaps. */
  alignedCount: number;
  readonly schedule: ScheduleWatch;
}

/** Pooled gaps of completed requests. */
interface Gaps {
  readonly tokens: TimedRanks;
  readonly all: TimedRanks;
  readonly alignedCount: number;
  /**
   * Whose gaps they are: the judged ones' where a warm-up was declared. One that was found in the end
   * came too late to leave gaps out, so the pools are of the whole point.
   */
  readonly of: readonly RequestRow[];
  readonly population: Population;
}

export interface PointContext {
  readonly point: ManifestPoint;
  readonly objective: Objective;
  readonly exactOutput: boolean;
  /** Prefix cache policy that was asked for. */
  readonly prefixCache: string;
  /** What is known of the client's stamps; `null` = nothing. */
  readonly calibration: RunCalibration | null;
}

/** One point, whatever the order its records came in. */
export function summarisePoint(data: PointData, declared: PointContext): PointSummary {
  // Sorted, so that sums of fractions cannot depend on the order in which records were read.
  const rows = data.rows
    .views()
    .sort(
      (a, b) =>
        a.plannedNs - b.plannedNs || a.scheduleIndex - b.scheduleIndex || a.attempt - b.attempt,
    );
  const tries = triesOf(rows, data);
  const stays = staysOf(tries);
  const wall = wallWindow(rows, declared.point);
  const warmUp = warmUpOf(stays, declared.point, cohortWindow(wall, declared.point));
  const point = { ...declared.point, steadyFromNs: warmUp.untilNs };
  const context = { ...declared, point };
  const judged = rows.filter((row) => isJudged(row.plannedNs, point));
  const offering = cohortWindow(wall, point);
  const backlogGrowing = !point.closedLoop && isBacklogGrowing(stays, offering);
  const window = steadyWindow(point)?.kind ?? 'wall';
  const sessions = sessionsOf(data, point);
  const starts = sessions.length === 0 ? null : sessionStarts(sessions, rows);
  const inference = inferenceOf(judged, stays, offering, backlogGrowing, starts);
  const of: Populations = {
    judged: { window, inference },
    whole: { window: 'wall', inference: { ...inference, ...wholeOf(rows, declared.point, wall) } },
  };
  const { rates, otherWindows } = windowedRates(rows, point, warmUp, of);
  const ledger = ledgerOf(rows, data.notReached);
  const ledgerShare = (count: number): number | null =>
    ledger.scheduled === 0 ? null : count / ledger.scheduled;
  const gaps = gapsOf(data, warmUp.basis === 'detected' ? rows : judged, of, warmUp);
  const judgement = judgementPart(judged, gaps, context, of.judged);
  const flow = { ...flowPart(tries, stays, rates.window), backlogGrowing };
  const part = {
    index: point.index,
    load: {
      kind: point.kind,
      level: point.level,
      label: point.label,
      closedLoop: point.closedLoop,
    },
    partial: point.partial,
    stopReason: point.stopReason,
    ledger,
    dropReasons: dropReasonsOf(rows),
    failureClasses: failureClassesOf(rows),
    rates,
    otherWindows,
    goodputRps: rates.goodRps,
    errorShare: ledgerShare(ledger.failed + ledger.timedOut),
    dropShare: ledgerShare(ledger.dropped),
    refusalShare: ledgerShare(ledger.refused),
    ...judgement,
    ...latencyPart(judged, gaps, of.judged),
    ...flow,
    ...strataPart(judged, context, of.judged),
    draft: data.told.draft(),
    tokenAgreement: data.tokens.agreement(),
    limits: data.told.limits(),
    tries: data.isRetried
      ? triesSummary(rows, tries, { point, window: offering, inference })
      : null,
    phases: phasesOf(rows, point, of),
    warmUp,
    sessions: sessionsSummary(sessions, { rows, judged, of: of.judged }),
  };
  return { ...part, ...validityPart(part, { rows, judged }, data, context, of.judged) };
}

/** A row a try: those that join some give way to theirs. */
function triesOf(rows: readonly RequestRow[], { joinedTries }: PointData): readonly RequestRow[] {
  if (joinedTries.length === 0) return rows;
  const alone = rows.filter((row) => row.joinedTries === null);
  return [...alone, ...joinedTries.views()].toSorted((a, b) => a.plannedNs - b.plannedNs);
}

/** What users ask has no end to judge; of a crashed point, what was to follow is not known. */
function sessionsOf(data: PointData, point: ManifestPoint): readonly BookedSession[] {
  const isCrashed = point.partial && point.recordCount === null;
  return point.kind === 'users' || isCrashed ? [] : data.sessions.sessions();
}

/** The whole of the offering, warm-up included. */
function wholeOf(rows: readonly RequestRow[], point: ManifestPoint, wall: Window) {
  const { fromNs, toNs } = cohortWindow(wall, { ...point, steadyFromNs: null });
  return { fromNs, toNs, count: rows.length };
}

function gapsOf(
  data: PointData,
  of: readonly RequestRow[],
  { judged, whole }: Populations,
  warmUp: PointSummary['warmUp'],
): Gaps {
  return {
    ...data.gaps.ranked(),
    alignedCount: data.alignedCount,
    of,
    population: warmUp.basis === 'detected' ? whole : judged,
  };
}

/** The judged window's rates and, beside them, those of the other windows. */
function windowedRates(
  rows: readonly RequestRow[],
  point: ManifestPoint,
  warmUp: PointSummary['warmUp'],
  of: Populations,
): { readonly rates: Rates; readonly otherWindows: readonly Rates[] } {
  // A closed loop has no asked rate: it follows the server.
  const offeredRps = point.closedLoop ? null : point.offeredRps;
  const over = (window: Window, { inference }: Population, byArrival = false): Rates =>
    ratesOver(rows, window, { offeredRps, byArrival, inference });
  const wall = wallWindow(rows, point);
  const steady = steadyWindow(point);
  const cohort = over(cohortWindow(wall, point), of.judged);
  return steady === null
    ? { rates: over(wall, of.whole), otherWindows: [cohort] }
    : {
        rates: over(steady, of.judged, warmUp.basis === 'declared'),
        otherWindows: [over(wall, of.whole), cohort],
      };
}

/** What the objective says of the judged requests. */
function judgementPart(
  judged: readonly RequestRow[],
  gaps: Gaps,
  { objective }: PointContext,
  of: Population,
) {
  const { inference } = of;
  const verdicts: Record<Verdict, number> = { good: 0, bad: 0, excluded: 0, unjudged: 0 };
  for (const row of judged) verdicts[row.verdict] += 1;
  const attainment = attainmentOfRows(judged, inference);
  const groups = groupsOf(judged, objective, of);
  const marginals = marginalsOf(judged, objective.population.attainmentShare, inference);
  return {
    verdicts,
    unjudgedReasons: unjudgedReasonsOf(judged),
    attainment,
    attainmentAdmitted: attainmentOfRows(judged, inference, 'admitted'),
    misses: missesOf(judged),
    population: populationResultsOf(objective, {
      rows: judged,
      attainment,
      gaps: gaps.all,
      groups,
      inference,
    }),
    marginals,
    marginalsPass: marginals.length === 0 ? null : marginals.every((marginal) => marginal.passes),
    groups,
  };
}

function latencyPart(judged: readonly RequestRow[], gaps: Gaps, population: Population) {
  const of = (valueOf: (row: RequestRow) => number | null) =>
    completedQuantiles(judged, population, valueOf);
  const completed = judged.filter((row) => row.outcome === 'completed');
  const sent = judged.filter((row) => row.dispatchedNs !== null);
  const gapCount = gaps.all.all.length;
  const gapRows = gaps.of.filter((row) => row.outcome === 'completed');
  const pooled = (contributorCount: number) => ({
    window: gaps.population.window,
    population: 'completed' as const,
    populationCount: gapRows.length,
    contributorCount,
    inference: gaps.population.inference,
  });
  const promptTokensTold = completed.filter((row) => row.cachedPromptTokens !== null);
  const toldTokens = total(promptTokensTold, (row) => row.promptTokens);
  return {
    ttftFromPlannedNs: of((row) => row.ttftFromPlannedNs),
    ttftFromDispatchNs: of((row) => row.ttftFromDispatchNs),
    firstAnswerFromPlannedNs: of((row) => row.firstAnswerFromPlannedNs),
    firstAnswerFromDispatchNs: of((row) => row.firstAnswerFromDispatchNs),
    scheduleLagNs: quantileSummary(orderedValues(population.inference, sent, lagOf), {
      window: population.window,
      population: 'allObserved',
      populationCount: sent.length,
    }),
    tpotNs: of((row) => row.tpotNs),
    tpotBasis: {
      observed: completed.filter((row) => row.tpotBasis === 'observed').length,
      estimated: completed.filter((row) => row.tpotBasis === 'estimated').length,
    },
    itlNs: pooledQuantileSummary(gaps.tokens, pooled(gaps.alignedCount)),
    chunkGapNs: pooledQuantileSummary(
      gaps.all,
      pooled(gapRows.filter((row) => row.gapCount > 0).length),
    ),
    zeroGapShare: gapCount === 0 ? null : total(gapRows, (row) => row.zeroGapCount) / gapCount,
    completionNs: of((row) => row.completionNs),
    completionFromPlannedNs: of((row) => row.completionFromPlannedNs),
    queueDelayNs: of((row) => row.queueNs),
    promptTokens: of((row) => row.promptTokens),
    outputTokens: of((row) => row.outputTokens),
    finishReasons: finishReasonsOf(judged),
    cachedTokenToldCount: promptTokensTold.length,
    cachedTokenShare:
      toldTokens === 0
        ? null
        : total(promptTokensTold, (row) => row.cachedPromptTokens) / toldTokens,
  };
}

function lagOf(row: RequestRow): number | null {
  return row.dispatchedNs === null ? null : row.dispatchedNs - row.plannedNs;
}

/** How many were inside, and whether the accounting of it holds. */
function flowPart(rows: readonly RequestRow[], stays: readonly Stay[], window: Window) {
  const inFlight = inFlightOver(stays, window);
  return {
    inFlightMean: inFlight.mean,
    inFlightP99: inFlight.p99,
    littlesLaw: littlesLawOf(rows, window, inFlight),
  };
}

function strataPart(judged: readonly RequestRow[], { objective }: PointContext, of: Population) {
  const promptTokensFrom = { usage: 0, planned: 0, unknown: 0 };
  for (const row of judged) promptTokensFrom[row.promptTokensFrom] += 1;
  return {
    promptTokensFrom,
    promptBuckets: strataBy(
      judged,
      of,
      (row) => row.promptBucket,
      promptBucketsOf(objective).map((bucket) => bucketLabel(bucket)),
    ),
    outputBuckets: strataBy(
      judged,
      of,
      (row) => row.outputBucket,
      DEFAULT_OUTPUT_BUCKETS.map((bucket) => bucketLabel(bucket)),
    ),
  };
}

function groupsOf(
  judged: readonly RequestRow[],
  objective: Objective,
  of: Population,
): StratumSummary[] {
  const by = objective.population.worst?.by;
  return by === undefined ? [] : strataBy(judged, of, (row) => row[by] ?? 'unlabelled');
}

/** How far the client reaches into the result, and whether the point can be trusted. */
function validityPart(
  part: Omit<PointSummary, 'validity' | 'clientError'>,
  { rows, judged }: Pick<ValidityEvidence, 'rows' | 'judged'>,
  data: PointData,
  { point, objective, exactOutput, prefixCache, calibration }: PointContext,
  of: Population,
): Pick<PointSummary, 'validity' | 'clientError'> {
  // Gaps are pooled without their requests, so a target over gaps is not asked again.
  const { quantiles } = objective.population;
  const asked = {
    ...objective,
    population: {
      ...objective.population,
      quantiles: quantiles.filter(({ measure }) => measure !== 'gap'),
    },
  };
  const populationOf = (those: readonly RequestRow[]) =>
    populationResultsOf(asked, {
      rows: those,
      attainment: attainmentOfRows(those, null),
      gaps: NO_GAPS,
      groups: groupsOf(those, objective, of),
      inference: null,
    });
  const population = populationOf(judged);
  const reach = clientReachOf({ judged, objective, population, populationOf });
  const evidence = { point, objective, rows, judged, summary: part, reach, exactOutput };
  const schedule = data.schedule.faults(point.recordCount);
  return {
    clientError: reach.error,
    validity: validityOf({ ...evidence, schedule, prefixCache, calibration }),
  };
}
