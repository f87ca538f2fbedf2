/**
 * `slo`: objectives in, judgements out; attainment, goodput, error budget. Start with
 * `objective.ts`, then `judge.ts`; `objective-expression.ts` is what people type. One record at a
 * time: populations are the `summary` room's.
 */
export * from './attainment.ts';
export * from './classify-outcome.ts';
export * from './error-budget.ts';
export * from './judge.ts';
export * from './judgement.ts';
export * from './length-bucket.ts';
export * from './lint-objective.ts';
export * from './objective-defaults.ts';
export * from './objective-expression.ts';
export { parseQuantileName, quantileName, shareText } from './objective-part.ts';
export * from './objective-presets.ts';
export * from './objective.ts';
export * from './suggest.ts';
export * from './window-counts.ts';
