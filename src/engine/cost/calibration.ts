/** Where a cost model's figures come from, and for which loads they may be believed. */
import type { CostModel } from '../cost-model.ts';
import type { StepLoad } from '../engine.ts';

/** Axes of a load along which a cost model was, or was not, measured. */
export type HullAxis = 'sequences' | 'decodeContextTokens' | 'prefillTokens' | 'attentionPairs';

/**
 * The largest load per axis among the steps that a model was calibrated with. Every axis can be 0
 * in a step, so a hull has no lower side.
 */
export type LoadHull = Readonly<Record<HullAxis, number>>;

/** How far a model is from the measurements it was fitted to, for one measure. */
export interface ResidualError {
  /** Machine word, e.g. `tpot`. */
  readonly measure: string;
  /** (model − measured) / measured of the means. */
  readonly meanShare: number;
  /** The same of the 99th percentiles. */
  readonly p99Share: number;
}

export interface Calibration {
  /** Data and versions behind the figures, one sentence. */
  readonly provenance: string;
  /** `null` = not measured: data-sheet or assumed figures. */
  readonly hull: LoadHull | null;
  /** Empty where nothing was measured. */
  readonly residuals: readonly ResidualError[];
}

/** A cost model that says how far it can be believed. */
export interface CalibratedCostModel extends CostModel {
  readonly calibration: Calibration;
}

export const EMPTY_HULL: LoadHull = {
  sequences: 0,
  decodeContextTokens: 0,
  prefillTokens: 0,
  attentionPairs: 0,
};

const AXES = Object.keys(EMPTY_HULL) as readonly HullAxis[];

/** The smallest hull that holds `hull` and the load. */
export function widenHull(hull: LoadHull, load: StepLoad): LoadHull {
  const isInside =
    load.decodeSequences + load.prefillSequences <= hull.sequences &&
    load.decodeContextTokens <= hull.decodeContextTokens &&
    load.prefillTokens <= hull.prefillTokens &&
    load.attentionPairs <= hull.attentionPairs;
  return isInside ? hull : widerHull(hull, hullPoint(load));
}

/** The smallest hull that holds both. */
export function widerHull(one: LoadHull, other: LoadHull): LoadHull {
  return {
    sequences: Math.max(one.sequences, other.sequences),
    decodeContextTokens: Math.max(one.decodeContextTokens, other.decodeContextTokens),
    prefillTokens: Math.max(one.prefillTokens, other.prefillTokens),
    attentionPairs: Math.max(one.attentionPairs, other.attentionPairs),
  };
}

/**
 * The axes along which a load lies outside what the model was calibrated with: a step cost there
 * is an extrapolation. All axes when it was never calibrated, none when the load is inside.
 */
export function axesOutside(calibration: Calibration, load: StepLoad): readonly HullAxis[] {
  return axesBeyond(calibration, hullPoint(load));
}

/** The same of all the loads that `other` holds: whether a whole simulation stayed inside. */
export function axesBeyond({ hull }: Calibration, other: LoadHull): readonly HullAxis[] {
  return hull === null ? AXES : AXES.filter((axis) => other[axis] > hull[axis]);
}

function hullPoint(load: StepLoad): LoadHull {
  return {
    sequences: load.decodeSequences + load.prefillSequences,
    decodeContextTokens: load.decodeContextTokens,
    prefillTokens: load.prefillTokens,
    attentionPairs: load.attentionPairs,
  };
}
