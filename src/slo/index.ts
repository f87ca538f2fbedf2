/**
 * `slo`: objectives in, judgements out; attainment, goodput, error budget. Start with
 * `objective.ts`, then `judge.ts`. One record at a time: populations are the `summary` room's.
 */
export * from './judgement.ts';
export * from './objective.ts';
