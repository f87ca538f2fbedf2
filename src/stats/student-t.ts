/** Student's t distribution, for means whose variance is itself estimated from few values. */
import { assert } from '../base/index.ts';
import { betaQuantile, regularizedIncompleteBeta } from './incomplete-beta.ts';

/**
 * P(T ≤ `t`) for Student's t with `degrees` degrees of freedom.
 *
 * Range: any `t`; `degrees` ≥ 1, not necessarily whole. Source: Abramowitz and Stegun, 26.7.1.
 */
export function studentTCdf(t: number, degrees: number): number {
  assertDegrees(degrees);
  if (t === 0) return 0.5;
  const tail = regularizedIncompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2;
  return t < 0 ? tail : 1 - tail;
}

/**
 * The `p`-quantile of Student's t with `degrees` degrees of freedom: the inverse of
 * {@link studentTCdf}, to about 1e-12 relative.
 *
 * Range: `p` in (0, 1); `degrees` ≥ 1, not necessarily whole.
 */
export function studentTQuantile(p: number, degrees: number): number {
  assertDegrees(degrees);
  assert(p > 0 && p < 1, `${p} is not in (0, 1)`);
  const outside = 2 * Math.min(p, 1 - p);
  if (outside === 1) return 0;
  // Each form loses digits where its beta variable nears 1, so each serves the other half.
  let size: number;
  if (outside < 0.5) {
    const x = betaQuantile(outside, degrees / 2, 0.5);
    size = Math.sqrt((degrees * (1 - x)) / x);
  } else {
    const y = betaQuantile(1 - outside, 0.5, degrees / 2);
    size = Math.sqrt((degrees * y) / (1 - y));
  }
  return p < 0.5 ? -size : size;
}

function assertDegrees(degrees: number): void {
  assert(degrees >= 1, `${degrees} degrees of freedom are fewer than 1`);
}
