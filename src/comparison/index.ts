/**
 * `comparison`: two sides in, what differs and by how much out. Start with `comparison.ts` (the
 * result), `compare-pairs.ts` (pairs of windows), `baseline.ts` (a run against earlier ones) and
 * `change-verdict.ts` (from interval to word); `question.ts` says whether the sides were asked the
 * same, `hypothesis.ts` answers what was expected. Pure: windows are measured elsewhere.
 */
export * from './baseline.ts';
export * from './capacity-comparison.ts';
export * from './change-verdict.ts';
export * from './compare-pairs.ts';
export * from './comparison.ts';
export * from './hypothesis.ts';
export { DEFAULT_MINIMUM_EFFECTS, METRIC_NAMES, type MinimumEffects } from './metric.ts';
export type { Metric, MetricGroup, MetricScale } from './metric.ts';
export * from './noise-floor.ts';
export * from './overall-verdict.ts';
export * from './question.ts';
export * from './window-figures.ts';
