/** Step cost read off a measured grid, straight lines between its points. */
import { assert } from '../../base/index.ts';
import type { CalibratedCostModel, Calibration } from './calibration.ts';

/** Durations measured at ascending points. */
export interface Curve {
  readonly at: readonly number[];
  readonly seconds: readonly number[];
}

/** Durations measured at every pair of two ascending axes. */
export interface Grid {
  readonly sequences: readonly number[];
  /** Mean context of the sequences. */
  readonly contextTokens: readonly number[];
  /** One row per entry of `sequences`. */
  readonly seconds: readonly (readonly number[])[];
}

export interface TableOptions {
  /** Steps that only prefill, by prompt tokens in the step. */
  readonly prefill: Curve;
  /** Steps that only decode. */
  readonly decode: Grid;
  readonly calibration: Calibration;
}

/**
 * Between points a cost is interpolated linearly (in logarithms it would be too high by a tenth and
 * more); beyond them the last straight line goes on, which the calibration's hull reports. A step
 * that does both reads the weights once: the cheaper of the two curves' first points counts once.
 */
export function tableCostModel(options: TableOptions): CalibratedCostModel {
  const { prefill, decode, calibration } = options;
  assertAscending(prefill.at, prefill.seconds.length);
  assertAscending(decode.sequences, decode.seconds.length);
  for (const row of decode.seconds) assertAscending(decode.contextTokens, row.length);
  const decodeBase = decode.seconds[0]?.[0] as number;
  const bothBase = Math.min(prefill.seconds[0] as number, decodeBase);
  return {
    name: 'table',
    recipe: { kind: 'table', options },
    calibration,
    stepSeconds({ prefillTokens, decodeSequences, decodeContextTokens }) {
      const prompts = prefillTokens === 0 ? 0 : valueOnCurve(prefill, prefillTokens);
      if (decodeSequences === 0) return prompts;
      const decodes = valueOnGrid(decode, decodeSequences, decodeContextTokens / decodeSequences);
      return prefillTokens === 0 ? decodes : prompts + decodes - bothBase;
    },
  };
}

function valueOnCurve({ at, seconds }: Curve, x: number): number {
  const { low, share } = position(at, x);
  return between(seconds[low] as number, seconds[low + 1], share);
}

function valueOnGrid({ sequences, contextTokens, seconds }: Grid, n: number, mean: number): number {
  const { low, share } = position(sequences, n);
  const across = (row: readonly number[]): number =>
    valueOnCurve({ at: contextTokens, seconds: row }, mean);
  const below = across(seconds[low] as readonly number[]);
  const above = seconds[low + 1];
  return above === undefined ? below : between(below, across(above), share);
}

/** The segment that holds `x`, or the nearest one, and how far along it `x` lies. */
function position(at: readonly number[], x: number): { low: number; share: number } {
  if (at.length === 1) return { low: 0, share: 0 };
  let low = 0;
  while (low < at.length - 2 && (at[low + 1] as number) <= x) low += 1;
  const [from, to] = [at[low] as number, at[low + 1] as number];
  // Below the first point nothing gets cheaper: weights are read however little is computed.
  return { low, share: Math.max(0, (x - from) / (to - from)) };
}

function between(low: number, high: number | undefined, share: number): number {
  return high === undefined ? low : low + share * (high - low);
}

function assertAscending(at: readonly number[], values: number): void {
  assert(at.length > 0 && at.length === values, `${values} durations for ${at.length} points`);
  const sorted = at.every((x, index) => index === 0 || x > (at[index - 1] as number));
  assert(sorted, 'the points of a table ascend');
}
