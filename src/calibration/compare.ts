/** How far simulated requests are from measured ones. */
import type { ResidualError } from '../engine/index.ts';
import { sampleQuantile } from '../stats/index.ts';
import type { ObservedRequest } from './observed-run.ts';

/** The measures that are compared, in nanoseconds; `null` where a request has none. */
const MEASURES: Readonly<Record<string, (request: ObservedRequest) => number | null>> = {
  ttft: ({ atNs, firstNs }) => firstNs - atNs,
  tpot: ({ firstNs, lastNs, outputTokens }) =>
    outputTokens < 2 ? null : (lastNs - firstNs) / (outputTokens - 1),
  e2e: ({ atNs, lastNs }) => lastNs - atNs,
};

export interface MeasureFigures {
  readonly measure: string;
  readonly meanNs: number;
  readonly p50Ns: number;
  readonly p99Ns: number;
}

/** Mean, median and 99th percentile (nearest rank) of each measure that any request has. */
export function measureFigures(requests: readonly ObservedRequest[]): MeasureFigures[] {
  return Object.entries(MEASURES).flatMap(([measure, of]) => {
    const values = requests.map(of).filter((value) => value !== null);
    if (values.length === 0) return [];
    return {
      measure,
      meanNs: mean(values),
      p50Ns: sampleQuantile(values, 0.5, 'nearestRank'),
      p99Ns: sampleQuantile(values, 0.99, 'nearestRank'),
    };
  });
}

/** (simulated − measured) / measured, of mean and 99th percentile of each measure. */
export function residualErrors(
  measured: readonly ObservedRequest[],
  simulated: readonly ObservedRequest[],
): ResidualError[] {
  const found = measureFigures(simulated);
  return measureFigures(measured).map(({ measure, meanNs, p99Ns }, index) => {
    const other = found[index] as MeasureFigures;
    return {
      measure,
      meanShare: other.meanNs / meanNs - 1,
      p99Share: other.p99Ns / p99Ns - 1,
    };
  });
}

/**
 * One residual per request and measure, of about equal weight: the k-th smallest simulated value
 * against the k-th smallest measured one, as a share of the latter, or of the measured mean where
 * that is larger. Ranks are compared and not requests, because which of two requests finds the
 * place that comes free is chance, and moves either by seconds; what all of them together wait is
 * not. (A request that did not queue has a TTFT of one step, and half a step of it is chance.)
 */
export function rankResiduals(
  measured: readonly ObservedRequest[],
  simulated: readonly ObservedRequest[],
): number[] {
  return Object.values(MEASURES).flatMap((of) => {
    const values = sortedValues(measured, of);
    const others = sortedValues(simulated, of);
    const average = mean(values);
    return values.map(
      (value, rank) => ((others[rank] as number) - value) / Math.max(value, average),
    );
  });
}

function sortedValues(
  requests: readonly ObservedRequest[],
  of: (request: ObservedRequest) => number | null,
): number[] {
  return requests
    .map(of)
    .filter((value) => value !== null)
    .toSorted((a, b) => a - b);
}

/** Requests whose first token and pace both kept their limits, as a share. */
export function jointAttainment(
  requests: readonly ObservedRequest[],
  limits: { readonly ttftNs: number; readonly tpotNs: number },
): number {
  const ttft = MEASURES['ttft'] as (request: ObservedRequest) => number;
  const tpot = MEASURES['tpot'] as (request: ObservedRequest) => number | null;
  const good = requests.filter(
    (request) => ttft(request) <= limits.ttftNs && (tpot(request) ?? 0) <= limits.tpotNs,
  );
  return good.length / requests.length;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
