/**
 * `budget`: counts of windows → what of an error budget is spent, what is left, and when it ends.
 * Start with `budget-statement.ts`. Pure: files are read elsewhere, and "now" is where counts end.
 */
export * from './annotations.ts';
export * from './budget-period.ts';
export * from './budget-statement.ts';
export * from './counts-file.ts';
export * from './exhaustion-forecast.ts';
export type { BudgetTargets } from './judgement-file.ts';
