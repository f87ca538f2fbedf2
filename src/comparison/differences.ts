/** The scales on which two sides are subtracted, and the way back to a change. */
import { assertNever } from '../base/index.ts';
import type { MetricScale } from './metric.ts';

export interface MetricScaleContext {
  readonly scale: MetricScale;
  /** Mean of A over the pairs; NaN without any. */
  readonly meanA: number;
}

/** b against a on the scale; `null` where the scale has no value for them. */
export function pairDifference(
  { a, b }: { readonly a: number; readonly b: number },
  { scale, meanA }: MetricScaleContext,
): number | null {
  switch (scale) {
    case 'relative':
      return a > 0 && b > 0 ? Math.log(b / a) : null;
    case 'totals':
      return meanA > 0 ? (b - a) / meanA : null;
    case 'points':
      return b - a;
    default:
      return assertNever(scale);
  }
}

/** A mean difference as a change: a share of A, or a difference of shares. */
export function changeOf(difference: number, { scale }: MetricScaleContext): number {
  return scale === 'relative' ? Math.expm1(difference) : difference;
}

/** One value for several windows, so that b / a − 1 or b − a is the change; `null` without any. */
export function typicalValue(values: readonly number[], scale: MetricScale): number | null {
  if (values.length === 0) return null;
  const mean = (of: readonly number[]): number => of.reduce((sum, v) => sum + v, 0) / of.length;
  if (scale !== 'relative') return mean(values);
  return values.every((value) => value > 0) ? Math.exp(mean(values.map(Math.log))) : null;
}
