/** Reports made of toy records, for goldens and for the browser. */
import {
  collectCurves,
  htmlReport,
  type ReportFile,
  type ReportedRun,
} from '../../src/report/index.ts';
import type { ManifestPoint, RequestRecord } from '../../src/record/index.ts';
import { plainObjective } from '../../src/slo/index.ts';
import { manifestOf } from './manifest-builder.ts';
import { CHAT } from './sample-summaries.ts';
import { summaryOf } from './summary-builder.ts';
import { toyPoint, toyRecords } from './toy-service.ts';

/** A run as `goodput report` hands it over. */
export async function reportedRun(
  records: readonly RequestRecord[],
  points: readonly ManifestPoint[],
  label: string,
): Promise<ReportedRun> {
  const summary = summaryOf(records, { points, objective: CHAT });
  const collector = await collectCurves(summary, summary.objective ?? plainObjective());
  for (const record of records) collector.add(record);
  const curves = collector.finish();
  return { label, summary, manifest: manifestOf(), curves, steps: new Map(), capacity: null };
}

/** Loads below, at and above what the toy service can do. */
export async function toySweep(rates: readonly number[] = [2, 5, 8, 10, 12]): Promise<ReportedRun> {
  const loads = rates.map((rateRps, pointIndex) => ({ pointIndex, rateRps, seconds: 60, seed: 1 }));
  return reportedRun(
    loads.flatMap(toyRecords),
    loads.map((load) => toyPoint(load)),
    'toy',
  );
}

export function reportOf(...runs: readonly ReportedRun[]): Promise<ReportFile> {
  return htmlReport({
    runs,
    comparison: null,
    notCompared: null,
    pareto: null,
    toolVersion: '0.0.0-test',
  });
}
