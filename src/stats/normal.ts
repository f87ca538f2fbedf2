/** The normal distribution, as far as intervals need it. */
import { assert } from '../base/index.ts';

/**
 * The `p`-quantile of the standard normal distribution, accurate to about 1e-15.
 *
 * Range: `p` in (0, 1). Source: Wichura, algorithm AS 241 (PPND16), Applied Statistics 37 (1988).
 */
export function normalQuantile(p: number): number {
  assert(p > 0 && p < 1, `${p} is not in (0, 1)`);
  const fromMedian = p - 0.5;
  if (Math.abs(fromMedian) <= 0.425) {
    const r = 0.180625 - fromMedian * fromMedian;
    return (fromMedian * polynomial(CENTRE_NUMERATOR, r)) / polynomial(CENTRE_DENOMINATOR, r);
  }
  const r = Math.sqrt(-Math.log(Math.min(p, 1 - p)));
  const size =
    r <= 5
      ? polynomial(TAIL_NUMERATOR, r - 1.6) / polynomial(TAIL_DENOMINATOR, r - 1.6)
      : polynomial(FAR_NUMERATOR, r - 5) / polynomial(FAR_DENOMINATOR, r - 5);
  return fromMedian < 0 ? -size : size;
}

/** Σ coefficientᵢ·xⁱ, by Horner's rule. */
function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0);
}

const CENTRE_NUMERATOR: readonly number[] = [
  3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987,
  67265.7709270087, 33430.57558358813, 2509.0809287301227,
];
const CENTRE_DENOMINATOR: readonly number[] = [
  1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
  28729.085735721943, 5226.495278852854,
];
const TAIL_NUMERATOR: readonly number[] = [
  1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
  0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
];
const TAIL_DENOMINATOR: readonly number[] = [
  1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008,
  0.015198666563616457, 0.0005475938084995345, 1.0507500716444169e-9,
];
const FAR_NUMERATOR: readonly number[] = [
  6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487,
  0.026532189526576124, 0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
];
const FAR_DENOMINATOR: readonly number[] = [
  1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133,
  1.8463183175100548e-5, 1.421511758316446e-7, 2.0442631033899397e-15,
];
