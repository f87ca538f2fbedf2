/** Whether paired differences are more than chance: an exact test over any number of measures. */
import { assert, type RandomSource } from '../base/index.ts';

/** One row a measure, one column a pair; `null` where a pair gave no value. */
export type DifferenceRows = readonly (readonly (number | null)[])[];

export interface SignFlipResult {
  /**
   * By row, the chance that the most striking of *all* rows would be as striking as this one, were
   * the sides the same. 1 for a row without two values.
   */
  readonly adjustedP: readonly number[];
  /**
   * The size of Student's t above which a row is significant at `level`; `null` when no size is,
   * as with too few pairs.
   */
  readonly criticalT: number | null;
}

/** All patterns are tried up to this many; beyond, so many are drawn. */
const PATTERNS_MAX = 4_096;

/**
 * Were the sides the same, each pair could as well have been measured the other way round, and its
 * differences would have the other sign, in all rows together. The largest |t| over the rows, over
 * all sign patterns, is what chance does. Exact for any distribution, however the rows hang
 * together, so that ten measures raise no more false alarms than one.
 *
 * Range: `level` in (0, 1), the share of patterns to stay under. Exact up to 12 pairs, by drawn
 * patterns beyond. Source: Westfall and Young, Resampling-Based Multiple Testing (1993), 2.5
 * (single-step maxT).
 */
export function signFlipTest(
  rows: DifferenceRows,
  options: { readonly random: RandomSource; readonly level?: number },
): SignFlipResult {
  const { random, level = 0.95 } = options;
  const pairs = rows[0]?.length ?? 0;
  assert(
    rows.every((row) => row.length === pairs),
    'rows of unequal length are of different pairs',
  );
  const observed = rows.map((row) => Math.abs(studentT(row, ALL_KEPT)));
  const largest: number[] = [];
  for (const signs of signPatterns(pairs, random)) {
    largest.push(rows.reduce((most, row) => Math.max(most, Math.abs(studentT(row, signs))), 0));
  }
  const atLeast = (t: number): number =>
    largest.filter((other) => other >= t * (1 - TIE)).length / largest.length;
  return {
    adjustedP: observed.map((t) => (t === 0 ? 1 : atLeast(t))),
    criticalT: criticalOf(largest, 1 - level),
  };
}

/** Sums in another order differ in the last digits; such values are equal. */
const TIE = 1e-9;
const ALL_KEPT = (): number => 1;

type SignOf = (pair: number) => number;

/** Every pattern, or `PATTERNS_MAX` drawn ones of which the first is the one observed. */
function* signPatterns(pairs: number, random: RandomSource): Generator<SignOf> {
  if (2 ** pairs <= PATTERNS_MAX) {
    for (let bits = 0; bits < 2 ** pairs; bits += 1) {
      yield (pair) => ((bits >> pair) & 1 ? -1 : 1);
    }
    return;
  }
  yield ALL_KEPT;
  for (let drawn = 1; drawn < PATTERNS_MAX; drawn += 1) {
    const signs = Array.from({ length: pairs }, () => (random() < 0.5 ? -1 : 1));
    yield (pair) => signs[pair] as number;
  }
}

/** Mean over its standard error; 0 without two values or where all are 0, ±∞ where none differ. */
function studentT(row: readonly (number | null)[], signOf: SignOf): number {
  let n = 0;
  let sum = 0;
  let squares = 0;
  for (const [pair, value] of row.entries()) {
    if (value === null) continue;
    n += 1;
    sum += value * signOf(pair);
    squares += value * value;
  }
  if (n < 2 || squares === 0) return 0;
  const mean = sum / n;
  const variance = (squares - n * mean * mean) / (n - 1);
  return variance <= squares * TIE ? Math.sign(mean) * Infinity : mean / Math.sqrt(variance / n);
}

/** The least t that at most a share `alpha` of the patterns reaches. */
function criticalOf(largest: readonly number[], alpha: number): number | null {
  const descending = largest.toSorted((a, b) => b - a);
  let at = Math.floor(alpha * descending.length + TIE) - 1;
  // Each pattern has its opposite with the same |t|: of equal ones, all are in or none.
  while (at >= 0 && (descending[at + 1] ?? 0) >= (descending[at] as number) * (1 - TIE)) at -= 1;
  const critical = descending[at];
  return critical !== undefined && Number.isFinite(critical) && critical > 0 ? critical : null;
}
