/**
 * The error budget: the misses a target allows. With 97 % over 30 days, 3 % of requests may miss.
 * From counts, never from a mean of ratios.
 */
import { assert } from '../base/index.ts';

/** Counts of one window. `bad` is offered − good: unknown counts against the budget. */
export interface BudgetCounts {
  /** Attainment target in (0, 1]. */
  readonly targetShare: number;
  readonly offered: number;
  readonly bad: number;
}

export interface ErrorBudget {
  /** 1 − target: the share that may miss. */
  readonly budgetShare: number;
  /** Requests that may miss, not rounded. */
  readonly allowedBad: number;
  /** bad / allowed; above 1 when overspent; `null` when the target allows no miss at all. */
  readonly spentShare: number | null;
  /** 1 − spent; negative when overspent. */
  readonly leftShare: number | null;
}

/** The budget of a period, from all requests offered in it and those that missed. */
export function errorBudget(counts: BudgetCounts): ErrorBudget {
  const budgetShare = missableShare(counts.targetShare);
  assertCounts(counts);
  const allowedBad = budgetShare * counts.offered;
  const spentShare = spent(counts.bad, allowedBad);
  return {
    budgetShare,
    allowedBad,
    spentShare,
    leftShare: spentShare === null ? null : 1 - spentShare,
  };
}

/**
 * How many times faster than allowed a window spends: its share of misses / (1 − target). At 1 the
 * budget lasts exactly its period. `null` when nothing was offered or no miss is allowed.
 */
export function burnRate(counts: BudgetCounts): number | null {
  const budgetShare = missableShare(counts.targetShare);
  assertCounts(counts);
  if (counts.offered === 0 || budgetShare === 0) return null;
  return counts.bad / counts.offered / budgetShare;
}

/**
 * How long the rest of a budget lasts at a burn rate. 0 when it is spent already; `null` when
 * nothing burns, for then it never ends.
 */
export function timeToExhaustionNs(budget: {
  readonly leftShare: number;
  readonly burnRate: number;
  readonly periodNs: number;
}): number | null {
  if (budget.leftShare <= 0) return 0;
  if (budget.burnRate <= 0) return null;
  return Math.round((budget.leftShare * budget.periodNs) / budget.burnRate);
}

/** 1 − 0.97 is 0.030000000000000027 in binary; whoever wrote 97 % means 3 %. */
function missableShare(targetShare: number): number {
  assert(targetShare > 0 && targetShare <= 1, `target ${targetShare} is not in (0, 1]`);
  return Number((1 - targetShare).toPrecision(12));
}

function spent(bad: number, allowedBad: number): number | null {
  if (bad === 0) return 0;
  return allowedBad === 0 ? null : bad / allowedBad;
}

function assertCounts({ offered, bad }: BudgetCounts): void {
  assert(bad >= 0 && bad <= offered, `${bad} bad of ${offered} offered is no count`);
}
