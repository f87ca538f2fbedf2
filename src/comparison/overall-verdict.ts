/** One word for several metrics. */
import type { ChangeVerdict } from './change-verdict.ts';
import type { Comparison, MetricComparison } from './comparison.ts';

/** Nothing weighs more than one metric that is worse; equivalence takes all of them. */
export function serviceVerdict(
  metrics: readonly MetricComparison[],
  attributionAllowed: boolean,
): Comparison['verdict'] {
  if (!attributionAllowed) return 'notComparable';
  const verdicts = metrics.filter(({ group }) => group === 'service').map(({ verdict }) => verdict);
  if (verdicts.includes('worse')) return 'worse';
  const decided = verdicts.filter((verdict) => verdict !== 'notEnoughData');
  if (decided.length === 0) return 'notEnoughData';
  if (decided.includes('better')) return 'better';
  return decided.every((verdict) => verdict === 'equivalent') ? 'equivalent' : 'noDifferenceShown';
}

/** Answers that are worse, or are other answers, before all else. */
export function qualityVerdict(metrics: readonly MetricComparison[]): ChangeVerdict {
  const verdicts = metrics.filter(({ group }) => group === 'quality').map(({ verdict }) => verdict);
  const found = (['worse', 'changed', 'better'] as const).find((each) => verdicts.includes(each));
  if (found !== undefined) return found;
  const decided = verdicts.filter((verdict) => verdict !== 'notEnoughData');
  if (decided.length === 0) return 'notEnoughData';
  return decided.every((verdict) => verdict === 'equivalent') ? 'equivalent' : 'noDifferenceShown';
}
