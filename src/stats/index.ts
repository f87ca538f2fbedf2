/**
 * `stats`: named quantile rules, binomial intervals, queueing formulas. Start with `quantile.ts`;
 * `binomial.ts` and `quantile-interval.ts` say what a sample can claim; `queueing.ts` has Little's
 * law. Pure numbers in, pure numbers out; knows nothing about requests.
 */
export * from './batch-means.ts';
export * from './binomial.ts';
export * from './confidence-interval.ts';
export * from './detectable-difference.ts';
export * from './early-stopping.ts';
export * from './incomplete-beta.ts';
export * from './logistic-crossing.ts';
export * from './near-integer.ts';
export * from './normal.ts';
export * from './paired-bootstrap.ts';
export * from './quantile-interval.ts';
export * from './quantile.ts';
export * from './queueing.ts';
export * from './rate-interval.ts';
export * from './rising-share.ts';
export * from './sequential-mean.ts';
export * from './share-interval.ts';
export * from './sign-flip.ts';
export * from './steady-state.ts';
export * from './student-t.ts';
