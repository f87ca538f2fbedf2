/** Builds manifest points, objectives and summaries for tests, from what a test is about. */
import type { ManifestPoint, RequestRecord } from '../../src/record/index.ts';
import { parseObjective, plainObjective, type Objective } from '../../src/slo/index.ts';
import {
  summarise,
  type PointSummary,
  type Summary,
  type SummaryOptions,
} from '../../src/summary/index.ts';

const SECOND_NS = 1_000_000_000;

/** A finished open-loop point of 10 s at 1 request/s without warm-up. */
export function pointOf(options: Partial<ManifestPoint> = {}): ManifestPoint {
  return {
    index: 0,
    kind: 'rate',
    level: 1,
    label: 'open loop, constant 1/s',
    closedLoop: false,
    offeredRps: 1,
    steadyFromNs: null,
    stopNs: 10 * SECOND_NS,
    partial: false,
    stopReason: 'duration',
    recordCount: null,
    generator: null,
    ...options,
  };
}

/** An objective from its expression; the expression must be right. */
export function objectiveOf(expression: string): Objective {
  const parsed = parseObjective(expression);
  if (!('objective' in parsed)) throw new Error(`bad objective in a test: ${expression}`);
  return parsed.objective;
}

/** The summary of records, of one default point unless told otherwise. */
export function summaryOf(
  records: readonly RequestRecord[],
  options: Partial<SummaryOptions> = {},
): Summary {
  return summarise({
    toolVersion: '0.0.0-test',
    experimentHash: 'test',
    source: 'measured',
    clock: 'client',
    prefixCache: 'unique',
    exactOutput: false,
    points: [pointOf()],
    objective: null,
    correctness: plainObjective(),
    ...options,
    records,
  });
}

/** The one point of such a summary. */
export function pointSummaryOf(
  records: readonly RequestRecord[],
  options: Partial<SummaryOptions> = {},
): PointSummary {
  const [point] = summaryOf(records, options).points;
  if (point === undefined) throw new Error('a summary without points');
  return point;
}
