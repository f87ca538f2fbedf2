/**
 * `summary`: records and an objective in, the published summary out. Start with `summary.ts`
 * (the result) and `summarise.ts` (how it is made); `summary-schema.ts` is its JSON Schema.
 */
export {
  createPointAccumulator,
  isSameSpan,
  type PointAccumulator,
  type PointAccumulatorOptions,
} from './point-accumulator.ts';
export { levelsOver, type Stay } from './in-flight.ts';
export { kneeOf, type KneePoint } from './knee.ts';
export { isLevelGrowing, isPathGrowing } from './backlog.ts';
export * from './live-tally.ts';
export { isEnoughFor, quantileOf, quantileSummary, SUMMARY_QUANTILES } from './quantile-summary.ts';
export { releaseOf, stayEndNs } from './request-row.ts';
export * from './session-summary.ts';
export * from './summarise.ts';
export { summaryJsonSchema, summarySchema } from './summary-schema.ts';
export * from './summary.ts';
export type { CountComparison, TokenAgreement } from './token-agreement.ts';
export { tightestStampLimitNs } from './validity-calibration.ts';
export { StallIndex } from './validity-stalls.ts';
export * from './what-if.ts';
