/**
 * How far the client's own error reaches into what a point reports: everything is worked out again
 * with every latency at the least, and at the greatest, that the error leaves possible. Nothing is
 * corrected: the result stays as it was measured, and is valid only if the error could not matter.
 */
import { NS_PER_MS } from '../base/index.ts';
import type { Objective } from '../slo/index.ts';
import { quantile, sortedCopy } from '../stats/index.ts';
import { attainmentOfRows } from './attainment.ts';
import { isEnoughFor } from './quantile-summary.ts';
import type { RequestRow } from './request-row.ts';
import { changedRow } from './request-rows.ts';
import { observed } from './strata.ts';
import type { ClientError, PopulationResult } from './summary.ts';

/** Errors of this size no shared machine is free of; a verdict they turn was on its edge. */
export const FINE_ERROR_NS = 2 * NS_PER_MS;
const QUANTILES = [0.5, 0.95, 0.99] as const;

/** The published figures, and what of them decides on validity. */
export interface ClientReach {
  readonly error: ClientError;
  /** Whether the client's error could turn what a population target came to. */
  readonly flips: boolean;
  /** The same without errors too small to matter. */
  readonly flipsMaterially: boolean;
}

export interface ClientReachInputs {
  readonly judged: readonly RequestRow[];
  readonly objective: Objective;
  readonly population: readonly PopulationResult[];
  /** What the same targets come to over other rows. */
  readonly populationOf: (rows: readonly RequestRow[]) => readonly PopulationResult[];
}

export function clientReachOf(inputs: ClientReachInputs): ClientReach {
  const { judged, objective } = inputs;
  const kindest = withDoubts(judged, 'kindest', 0);
  const harshest = withDoubts(judged, 'harshest', 0);
  const high = attainmentOfRows(kindest, null).share;
  const low = attainmentOfRows(harshest, null).share;
  const touched = judged.filter(
    ({ verdict, doubt }) => doubt.kindest !== verdict || doubt.harshest !== verdict,
  );
  const fineNs = fineErrorNs(objective);
  return {
    error: {
      touchedCount: touched.length,
      judgedCount: judged.length,
      attainment: low === null || high === null ? null : { low, high },
      quantiles: quantilesOf(judged, kindest, harshest, objective),
    },
    flips: couldFlip(inputs, kindest, harshest),
    flipsMaterially: couldFlip(
      inputs,
      withDoubts(judged, 'kindest', fineNs),
      withDoubts(judged, 'harshest', fineNs),
    ),
  };
}

/** 2 ms, or one hundredth of the tightest TTFT limit where that is more. */
export function fineErrorNs(objective: Objective): number {
  const limits = objective.request.ttft?.map((bucket) => bucket.limitNs) ?? [];
  return limits.length === 0 ? FINE_ERROR_NS : Math.max(FINE_ERROR_NS, 0.01 * Math.min(...limits));
}

/**
 * The rows as they may have been, whichever clock the objective asks for; those with errors up to
 * `fineNs` are left as they are.
 */
function withDoubts(
  rows: readonly RequestRow[],
  side: 'kindest' | 'harshest',
  fineNs: number,
): RequestRow[] {
  return rows.map((row) => {
    const { doubt } = row;
    if (doubt.errorNs <= fineNs) return row;
    const isKind = side === 'kindest';
    const ttftNs = isKind
      ? sooner(row.ttftFromDispatchNs, doubt.firstErrorNs)
      : row.ttftFromPlannedNs;
    const answerNs = isKind
      ? sooner(row.firstAnswerFromDispatchNs, doubt.errorNs)
      : row.firstAnswerFromPlannedNs;
    const e2eNs = isKind
      ? sooner(row.completionNs, doubt.doneErrorNs)
      : row.completionFromPlannedNs;
    return changedRow(row, {
      verdict: doubt[side],
      ttftFromPlannedNs: ttftNs,
      ttftFromDispatchNs: ttftNs,
      firstAnswerFromPlannedNs: answerNs,
      firstAnswerFromDispatchNs: answerNs,
      tpotNs: isKind ? doubt.tpotKindestNs : doubt.tpotHarshestNs,
      completionNs: e2eNs,
      completionFromPlannedNs: e2eNs,
    });
  });
}

function sooner(spanNs: number | null, byNs: number): number | null {
  return spanNs === null ? null : Math.max(0, spanNs - byNs);
}

function couldFlip(
  { population, populationOf }: ClientReachInputs,
  kindest: readonly RequestRow[],
  harshest: readonly RequestRow[],
): boolean {
  if (population.length === 0) return false;
  const states = (results: readonly PopulationResult[]): string =>
    results.map(({ state }) => state).join();
  const asked = states(population);
  return [kindest, harshest].some((rows) => states(populationOf(rows)) !== asked);
}

/** Of completed requests, with the objective's clock; only quantiles that may be claimed at all. */
function quantilesOf(
  judged: readonly RequestRow[],
  kindest: readonly RequestRow[],
  harshest: readonly RequestRow[],
  { request: { from } }: Objective,
): ClientError['quantiles'] {
  const planned = from === 'planned';
  const measures = {
    ttft: (row: RequestRow) => (planned ? row.ttftFromPlannedNs : row.ttftFromDispatchNs),
    tpot: (row: RequestRow) => row.tpotNs,
    e2e: (row: RequestRow) => (planned ? row.completionFromPlannedNs : row.completionNs),
  } as const;
  return (['ttft', 'tpot', 'e2e'] as const).flatMap((measure) => {
    const [values, least, greatest] = [judged, kindest, harshest].map((rows) =>
      sortedCopy(
        observed(
          rows.filter((row) => row.outcome === 'completed'),
          measures[measure],
        ),
      ),
    ) as [Float64Array, Float64Array, Float64Array];
    return QUANTILES.filter((q) => isEnoughFor(q, values.length)).map((q) => ({
      measure,
      q,
      valueNs: quantile(values, q, 'nearestRank'),
      lowNs: quantile(least, q, 'nearestRank'),
      highNs: quantile(greatest, q, 'nearestRank'),
    }));
  });
}
