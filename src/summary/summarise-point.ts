/** From the rows of one load point to its published summary. */
import type { ManifestPoint } from '../record/index.ts';
import {
  bucketLabel,
  DEFAULT_OUTPUT_BUCKETS,
  promptBucketsOf,
  type Objective,
  type Verdict,
} from '../slo/index.ts';
import { attainmentOfRows } from './attainment.ts';
import { inFlightOver } from './in-flight.ts';
import {
  dropReasonsOf,
  failureClassesOf,
  finishReasonsOf,
  ledgerOf,
  unjudgedReasonsOf,
} from './ledger.ts';
import { isBacklogGrowing, littlesLawOf, staysOf } from './littles-law.ts';
import { missesOf } from './misses.ts';
import { mergedColumns, type NumberColumn } from './number-column.ts';
import { marginalsOf, populationResultsOf } from './population.ts';
import { quantileSummary, sortedQuantileSummary } from './quantile-summary.ts';
import { cohortWindow, isJudged, ratesOver, steadyWindow, total, wallWindow } from './rates.ts';
import type { RequestRow } from './request-row.ts';
import type { ScheduleWatch } from './schedule-watch.ts';
import { completedQuantiles, observed, strataBy } from './strata.ts';
import type { PointSummary, Rates, StratumSummary, Window } from './summary.ts';
import { clientReachOf } from './validity-client.ts';
import { validityOf, type ValidityEvidence } from './validity.ts';

/** What is kept of a point: a few numbers a request, and every gap of the answers judged. */
export interface PointData {
  readonly rows: RequestRow[];
  notReached: number;
  /** Chunk gaps of token-aligned streams, where they are token gaps (ITL). */
  readonly tokenGapsNs: NumberColumn;
  /** Chunk gaps of all other streams. */
  readonly otherGapsNs: NumberColumn;
  /** Completed, judged requests that gave token gaps. */
  alignedCount: number;
  readonly schedule: ScheduleWatch;
}

/** Pooled gaps of completed, judged requests, each pool ascending. */
interface Gaps {
  readonly tokenGapsNs: Float64Array;
  readonly chunkGapsNs: Float64Array;
  readonly alignedCount: number;
}

export interface PointContext {
  readonly point: ManifestPoint;
  readonly objective: Objective;
  readonly exactOutput: boolean;
  /** Prefix cache policy that was asked for. */
  readonly prefixCache: string;
}

/** One point, whatever the order its records came in. */
export function summarisePoint(data: PointData, context: PointContext): PointSummary {
  const { point } = context;
  // Sorted, so that sums of fractions cannot depend on the order in which records were read.
  const rows = data.rows.toSorted(
    (a, b) =>
      a.plannedNs - b.plannedNs || a.scheduleIndex - b.scheduleIndex || a.attempt - b.attempt,
  );
  const judged = rows.filter((row) => isJudged(row.plannedNs, point));
  const { rates, otherWindows } = windowedRates(rows, point);
  const window = rates.window.kind;
  const ledger = ledgerOf(rows, data.notReached);
  const ledgerShare = (count: number): number | null =>
    ledger.scheduled === 0 ? null : count / ledger.scheduled;
  const tokenGapsNs = data.tokenGapsNs.sorted();
  const gaps: Gaps = {
    tokenGapsNs,
    chunkGapsNs: mergedColumns(tokenGapsNs, data.otherGapsNs.sorted()),
    alignedCount: data.alignedCount,
  };
  const judgement = judgementPart(judged, gaps, context, window);
  const flow = flowPart(rows, context, rates.window);
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
    ...latencyPart(judged, gaps, window),
    ...flow,
    ...strataPart(judged, context, window),
    phases: phasesOf(rows, point),
  };
  return { ...part, ...validityPart(part, { rows, judged }, data, context) };
}

/** The judged window's rates and, beside them, those of the other windows. */
function windowedRates(
  rows: readonly RequestRow[],
  point: ManifestPoint,
): { readonly rates: Rates; readonly otherWindows: readonly Rates[] } {
  // A closed loop has no asked rate: it follows the server.
  const offeredRps = point.closedLoop ? null : point.offeredRps;
  const over = (window: Window): Rates => ratesOver(rows, window, offeredRps);
  const wall = wallWindow(rows, point);
  const steady = steadyWindow(point);
  const cohort = over(cohortWindow(wall, point));
  return steady === null
    ? { rates: over(wall), otherWindows: [cohort] }
    : { rates: over(steady), otherWindows: [over(wall), cohort] };
}

/** What the objective says of the judged requests. */
function judgementPart(
  judged: readonly RequestRow[],
  gaps: Gaps,
  { objective }: PointContext,
  window: Window['kind'],
) {
  const verdicts: Record<Verdict, number> = { good: 0, bad: 0, excluded: 0, unjudged: 0 };
  for (const row of judged) verdicts[row.verdict] += 1;
  const attainment = attainmentOfRows(judged);
  const groups = groupsOf(judged, objective, window);
  const marginals = marginalsOf(judged, objective.population.attainmentShare);
  return {
    verdicts,
    unjudgedReasons: unjudgedReasonsOf(judged),
    attainment,
    attainmentAdmitted: attainmentOfRows(judged, 'admitted'),
    misses: missesOf(judged),
    population: populationResultsOf(objective, {
      rows: judged,
      attainment,
      gapsNs: gaps.chunkGapsNs,
      groups,
    }),
    marginals,
    marginalsPass: marginals.length === 0 ? null : marginals.every((marginal) => marginal.passes),
    groups,
  };
}

function latencyPart(judged: readonly RequestRow[], gaps: Gaps, window: Window['kind']) {
  const of = (valueOf: (row: RequestRow) => number | null) =>
    completedQuantiles(judged, window, valueOf);
  const completed = judged.filter((row) => row.outcome === 'completed');
  const sent = judged.filter((row) => row.dispatchedNs !== null);
  const gapCount = gaps.chunkGapsNs.length;
  const pooled = (contributorCount: number) => ({
    window,
    population: 'completed' as const,
    populationCount: completed.length,
    contributorCount,
  });
  const promptTokensTold = completed.filter((row) => row.cachedPromptTokens !== null);
  const toldTokens = total(promptTokensTold, (row) => row.promptTokens);
  return {
    ttftFromPlannedNs: of((row) => row.ttftFromPlannedNs),
    ttftFromDispatchNs: of((row) => row.ttftFromDispatchNs),
    scheduleLagNs: quantileSummary(observed(sent, lagOf), {
      window,
      population: 'allObserved',
      populationCount: sent.length,
    }),
    tpotNs: of((row) => row.tpotNs),
    tpotBasis: {
      observed: completed.filter((row) => row.tpotBasis === 'observed').length,
      estimated: completed.filter((row) => row.tpotBasis === 'estimated').length,
    },
    itlNs: sortedQuantileSummary(gaps.tokenGapsNs, pooled(gaps.alignedCount)),
    chunkGapNs: sortedQuantileSummary(
      gaps.chunkGapsNs,
      pooled(completed.filter((row) => row.gapCount > 0).length),
    ),
    zeroGapShare: gapCount === 0 ? null : total(completed, (row) => row.zeroGapCount) / gapCount,
    completionNs: of((row) => row.completionNs),
    completionFromPlannedNs: of((row) => row.completionFromPlannedNs),
    queueDelayNs: of((row) => row.queueNs),
    promptTokens: of((row) => row.promptTokens),
    outputTokens: of((row) => row.outputTokens),
    finishReasons: finishReasonsOf(judged),
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
function flowPart(rows: readonly RequestRow[], { point }: PointContext, window: Window) {
  const inFlight = inFlightOver(staysOf(rows), window);
  const offering = cohortWindow(window, point);
  return {
    inFlightMean: inFlight.mean,
    inFlightP99: inFlight.p99,
    backlogGrowing: !point.closedLoop && isBacklogGrowing(rows, offering),
    littlesLaw: littlesLawOf(rows, window, inFlight),
  };
}

function strataPart(
  judged: readonly RequestRow[],
  { objective }: PointContext,
  window: Window['kind'],
) {
  const promptTokensFrom = { usage: 0, planned: 0, unknown: 0 };
  for (const row of judged) promptTokensFrom[row.promptTokensFrom] += 1;
  return {
    promptTokensFrom,
    promptBuckets: strataBy(
      judged,
      window,
      (row) => row.promptBucket,
      promptBucketsOf(objective).map((bucket) => bucketLabel(bucket)),
    ),
    outputBuckets: strataBy(
      judged,
      window,
      (row) => row.outputBucket,
      DEFAULT_OUTPUT_BUCKETS.map((bucket) => bucketLabel(bucket)),
    ),
  };
}

/** Two splits of the whole point: by warm-up, where one was declared, and by connection. */
function phasesOf(rows: readonly RequestRow[], point: ManifestPoint): StratumSummary[] {
  const byWarmUp =
    point.steadyFromNs === null
      ? []
      : strataBy(rows, 'wall', (row) => (isJudged(row.plannedNs, point) ? 'steady' : 'warmup'), [
          'warmup',
          'steady',
        ]);
  const connections = {
    cold: 'cold connection',
    reused: 'reused connection',
    none: 'not connected',
  };
  return [
    ...byWarmUp,
    ...strataBy(rows, 'wall', (row) => connections[row.connection], Object.values(connections)),
  ];
}

function groupsOf(
  judged: readonly RequestRow[],
  objective: Objective,
  window: Window['kind'],
): StratumSummary[] {
  const by = objective.population.worst?.by;
  return by === undefined ? [] : strataBy(judged, window, (row) => row[by] ?? 'unlabelled');
}

/** How far the client reaches into the result, and whether the point can be trusted. */
function validityPart(
  part: Omit<PointSummary, 'validity' | 'clientError'>,
  { rows, judged }: Pick<ValidityEvidence, 'rows' | 'judged'>,
  data: PointData,
  { point, objective, exactOutput, prefixCache }: PointContext,
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
      attainment: attainmentOfRows(those),
      gapsNs: new Float64Array(),
      groups: groupsOf(those, objective, part.rates.window.kind),
    });
  const population = populationOf(judged);
  const reach = clientReachOf({ judged, objective, population, populationOf });
  const evidence = { point, objective, rows, judged, summary: part, reach, exactOutput };
  const schedule = data.schedule.faults();
  return {
    clientError: reach.error,
    validity: validityOf({ ...evidence, schedule, prefixCache }),
  };
}
