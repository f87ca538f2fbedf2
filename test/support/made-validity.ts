/** Made records of one point and what validity says of them. */
import { nsFromMs } from '../../src/base/index.ts';
import type { GeneratorEvidence, RequestRecord } from '../../src/record/index.ts';
import type { SummaryOptions, Validity } from '../../src/summary/index.ts';
import { recordOf, type RecordOptions } from './record-builder.ts';
import { objectiveOf, pointSummaryOf } from './summary-builder.ts';

/** A generator that never stood still. */
export const QUIET: GeneratorEvidence = {
  loopUtilisationShare: 0.1,
  loopStallMaxNs: 0,
  hostStallCount: 0,
  hostStallMaxNs: 0,
  stalls: [],
  unlistedStallMaxNs: 0,
  connectionCount: 1,
};

/** Requests 50 ms apart, good by any objective of these tests unless told otherwise. */
export function records(count: number, optionsOf: (index: number) => RecordOptions = () => ({})) {
  return Array.from({ length: count }, (_, index) =>
    recordOf({ scheduleIndex: index, plannedNs: nsFromMs(50 * index), ...optionsOf(index) }),
  );
}

/** By `ttft<=500ms, attainment>=95%` unless told otherwise. */
export function validityOf(
  measured: readonly RequestRecord[],
  options: Partial<SummaryOptions> = {},
): Validity {
  return pointSummaryOf(measured, {
    objective: objectiveOf('ttft<=500ms, attainment>=95%'),
    ...options,
  }).validity;
}

/** Severity by check. */
export function severities(validity: Validity): Record<string, string> {
  return Object.fromEntries(validity.reasons.map((reason) => [reason.check, reason.severity]));
}
