/** The sentences of a capacity report: how a search ended, what binds, what it costs. */
import { assertNever, durationText, NS_PER_SECOND } from '../base/index.ts';
import type { CapacityReport } from '../planner/index.ts';
import { countFigure, levelFigure, rateFigure } from './figures.ts';

/** Why the search ended, as a clause. */
export function endText(end: CapacityReport['end'], capacity: CapacityReport['capacity']): string {
  switch (end) {
    case 'budgetSpent':
      return 'the budget was spent before both sides of the target were seen; give it more with --effort or --budget';
    case 'precise':
      return 'as precise as was asked';
    case 'metEverywhere':
      return `the target is still met at ${capacity === null ? 'the largest concurrency' : rateFigure(capacity.metRps)}, the highest load allowed`;
    case 'missedEverywhere':
      return 'the target is missed even at the lowest load that these windows can tell about: it is not load that makes requests bad';
    case 'targetDown':
      return 'three windows in a row were stopped by a circuit breaker and nothing was good: is the service up?';
    case 'unusable':
      return 'three windows in a row could not be trusted: see the validity of the windows';
    case 'spendingLimit':
      return 'a spending limit (--max-requests, --max-tokens, --max-cost) was reached';
    case 'interrupted':
      return 'interrupted: repeat the command with --resume and the folder to go on';
    default:
      return assertNever(end);
  }
}

/** Why no rate is proven, as a clause. */
export function noIntervalText({ noInterval }: NonNullable<CapacityReport['capacity']>): string {
  switch (noInterval) {
    case 'noFall':
      return 'the windows differ too much to show where the target is crossed; measure longer';
    case 'tooShort':
      return 'the windows together last fewer than 200 answers, too short to prove a rate';
    case 'tooFewWindows':
    case 'notBracketed':
    case null:
      return 'too few windows near capacity to prove a rate; measure longer (--effort, --budget)';
    default:
      return assertNever(noInterval);
  }
}

const OBJECTIVE_WORDS: Readonly<Record<string, string>> = {
  ttft: 'TTFT (time to first token)',
  tpot: 'TPOT (time per output token)',
  gapMax: 'the longest gap between chunks',
  gapQuantile: 'a quantile of the gaps between chunks',
  e2e: 'the end-to-end deadline',
  outputTokens: 'the output cap',
  correctness: 'correctness (failed or wrong answers)',
};

/** An objective in words for people who do not know its short name. */
export function objectiveWord(name: string): string {
  return OBJECTIVE_WORDS[name] ?? name;
}

/** `1h 14m, 31,000 requests, 62 M input and 8 M output tokens, $12.30`. */
export function costText(cost: CapacityReport['spent']): string {
  const { seconds, requests, inputTokens, outputTokens, costUsd } = cost;
  return [
    secondsText(seconds),
    `${countFigure(requests)} requests`,
    ...(inputTokens === null || outputTokens === null
      ? []
      : [`${tokensText(inputTokens)} input and ${tokensText(outputTokens)} output tokens`]),
    ...(costUsd === null ? [] : [`$${costUsd.toFixed(2)}`]),
  ].join(', ');
}

function tokensText(tokens: number): string {
  return tokens >= 1e6 ? `${levelFigure(tokens / 1e6)} M` : countFigure(Math.round(tokens));
}

/** Whole minutes from two minutes on, whole seconds below. */
export function secondsText(seconds: number): string {
  const unit = seconds >= 120 ? 60 : 1;
  return durationText(Math.max(1, Math.round(seconds / unit)) * unit * NS_PER_SECOND);
}
