/** From an interval for a change to a word about it. */
import type { ConfidenceInterval } from '../stats/index.ts';
import type { Metric } from './metric.ts';

/**
 * - `worse`, `better`, `changed`: more than chance over all metrics, at least the minimum effect
 *   and beyond the noise floor; `changed` where neither direction is the better one;
 * - `equivalent`: the whole interval lies within the minimum effect;
 * - `noDifferenceShown`: neither of these, which is no proof that there is none;
 * - `notEnoughData`: too few pairs to state an interval.
 */
export type ChangeVerdict =
  | 'worse'
  | 'better'
  | 'changed'
  | 'equivalent'
  | 'noDifferenceShown'
  | 'notEnoughData';

export interface ShownChange {
  /** Of B against A: a share, or a difference of shares. */
  readonly change: number;
  readonly interval: ConfidenceInterval | null;
  /** Chance of as striking a difference in any metric, were the sides the same. */
  readonly adjustedP: number | null;
  readonly minimumEffect: number;
  /** How far two equal sides were found apart; `null` when that was not measured. */
  readonly noiseFloor: number | null;
}

/** Differences count as chance from this probability on. */
export const SIGNIFICANCE = 0.05;

export function changeVerdict(shown: ShownChange, better: Metric['better']): ChangeVerdict {
  const { change, interval, minimumEffect } = shown;
  if (interval === null) return 'notEnoughData';
  if (interval.low > -minimumEffect && interval.high < minimumEffect) return 'equivalent';
  const size = Math.abs(change);
  if (!isShown(shown) || size < minimumEffect || size <= (shown.noiseFloor ?? 0)) {
    return 'noDifferenceShown';
  }
  if (better === 'neither') return 'changed';
  return change > 0 === (better === 'higher') ? 'better' : 'worse';
}

/** Whether there is a difference at all, however small. */
export function isShown({
  interval,
  adjustedP,
}: Pick<ShownChange, 'interval' | 'adjustedP'>): boolean {
  if (interval === null || adjustedP === null || adjustedP > SIGNIFICANCE) return false;
  return interval.low > 0 || interval.high < 0;
}
