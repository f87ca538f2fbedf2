/**
 * `summary`: records and an objective in, the published summary out. Start with `summary.ts`
 * (the result) and `summarise.ts` (how it is made).
 */
export * from './summary.ts';
