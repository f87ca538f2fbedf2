/** The report of runs as one HTML file; its drawing code is loaded when it is first asked for. */
import type { CurveCollector } from './html/point-curves.ts';
import type { ReportFile, ReportInputs } from './html/report-page.ts';
import type { Objective } from '../slo/index.ts';
import type { Summary } from '../summary/index.ts';

export type { CurveCollector, PointCurves } from './html/point-curves.ts';
export type { ReportFile, ReportInputs } from './html/report-page.ts';
export type { ReportedRun } from './html/run-section.ts';

/** Verdict, validity, ledger, curves, timelines and settings, top-down, with every chart on it. */
export async function htmlReport(inputs: ReportInputs): Promise<ReportFile> {
  const { reportPage } = await import('./html/report-page.ts');
  return reportPage(inputs);
}

/** Collects what the charts need while the records of `summary` are read once more. */
export async function collectCurves(
  summary: Summary,
  objective: Objective,
): Promise<CurveCollector> {
  const { createCurves } = await import('./html/point-curves.ts');
  return createCurves(summary, objective);
}
