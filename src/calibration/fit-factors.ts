/** Roofline factors from measured runs: the ones under which the simulator repeats them best. */
import { assert } from '../base/index.ts';
import {
  type CalibratedCostModel,
  type Calibration,
  type DeviceSheet,
  EMPTY_HULL,
  GENERIC_FACTORS,
  type LoadHull,
  type ModelShape,
  type Parallelism,
  type ResidualError,
  rooflineCostModel,
  type RooflineFactors,
} from '../engine/index.ts';
import { rankResiduals, residualErrors } from './compare.ts';
import { fitLeastSquares } from './least-squares.ts';
import type { ObservedRun } from './observed-run.ts';
import { type Replay, replayRun, type ServerSetup } from './replay.ts';

/** A measured run, and how the server that served it was set up. */
export interface ServedRun {
  readonly observed: ObservedRun;
  readonly setup: ServerSetup;
}

export interface FitOptions {
  readonly shape: ModelShape;
  readonly device: DeviceSheet;
  readonly parallelism: Parallelism;
  /** Data and versions behind the runs, one sentence. */
  readonly provenance: string;
}

export interface FactorFit {
  readonly costModel: CalibratedCostModel;
  readonly factors: RooflineFactors;
  /** Names of the factors that the runs determined; the others are the generic ones. */
  readonly fitted: readonly (keyof RooflineFactors)[];
  /** Per run, in the order given. */
  readonly runs: readonly RunFit[];
}

export interface RunFit {
  readonly name: string;
  readonly requests: number;
  readonly residuals: readonly ResidualError[];
}

/**
 * A factor as the solver sees it: a number of a size around 1 in which step times are nearly
 * straight. Shares are turned over, because time goes with their inverse.
 */
interface Parameter {
  readonly factor: keyof RooflineFactors;
  readonly toSolver: (factor: number) => number;
  readonly toFactor: (solver: number) => number;
  /** Of the solver's number: no device is faster than its data sheet, no host faster than at once. */
  readonly lower: number;
}

function share(factor: keyof RooflineFactors): Parameter {
  return {
    factor,
    toSolver: (value) => 1 / value,
    toFactor: (value) => 1 / value,
    lower: 1,
  };
}

function seconds(factor: keyof RooflineFactors, unitSeconds: number): Parameter {
  return {
    factor,
    toSolver: (value) => value / unitSeconds,
    toFactor: (value) => value * unitSeconds,
    lower: 0,
  };
}

const PARAMETERS: readonly Parameter[] = [
  share('bandwidthShare'),
  share('computeShare'),
  seconds('stepOverheadSeconds', 1e-3),
  seconds('sequenceOverheadSeconds', 1e-5),
];
const LINK_PARAMETERS: readonly Parameter[] = [
  seconds('exchangeSeconds', 1e-5),
  share('linkShare'),
];

/**
 * How strongly a factor is held to its generic value, against one request's residual. Runs at one
 * load hardly tell, say, host time from bandwidth; then the split stays near what is usual instead
 * of running to an end of its range.
 */
const PRIOR_WEIGHT = 0.3;
const ROUNDS = 40;

/**
 * Fits the factors to all runs together. Every run must have requests.
 *
 * Each try simulates every run, so a fit takes some hundred times as long as a replay.
 */
export function fitRoofline(runs: readonly ServedRun[], options: FitOptions): FactorFit {
  assert(
    runs.length > 0 && runs.every(({ observed }) => observed.requests.length > 0),
    'a fit needs runs with requests',
  );
  const { tensor, expertRanks } = options.parallelism;
  const isLinked = tensor > 1 || expertRanks > 1;
  const parameters = isLinked ? [...PARAMETERS, ...LINK_PARAMETERS] : PARAMETERS;
  const factorsAt = (point: readonly number[]): RooflineFactors => {
    const factors = { ...GENERIC_FACTORS };
    for (const [index, { factor, toFactor }] of parameters.entries()) {
      factors[factor] = toFactor(point[index] as number);
    }
    return factors;
  };
  const prior = parameters.map(({ factor, toSolver }) => toSolver(GENERIC_FACTORS[factor]));
  const { point } = fitLeastSquares({
    start: prior,
    lower: parameters.map(({ lower }) => lower),
    rounds: ROUNDS,
    residuals: (at) => {
      const costModel = rooflineCostModel({
        ...options,
        factors: factorsAt(at),
        calibration: UNCALIBRATED,
      });
      const held = at.map((value, index) => PRIOR_WEIGHT * (value - (prior[index] as number)));
      return runs
        .flatMap(({ observed, setup }) =>
          rankResiduals(observed.requests, replayRun(observed, setup, costModel).requests),
        )
        .concat(held);
    },
  });
  const factors = factorsAt(point);
  return { ...calibrated(runs, options, factors), fitted: parameters.map(({ factor }) => factor) };
}

/** What the runs say of given factors: residuals per run, and a model that carries them. */
export function calibrated(
  runs: readonly ServedRun[],
  options: FitOptions,
  factors: RooflineFactors,
): Omit<FactorFit, 'fitted'> {
  const plain = rooflineCostModel({ ...options, factors, calibration: UNCALIBRATED });
  const replays = runs.map(({ observed, setup }) => replayRun(observed, setup, plain));
  const calibration: Calibration = {
    provenance: options.provenance,
    hull: replays.reduce<LoadHull>((hull, replay) => unionOf(hull, replay.hull), EMPTY_HULL),
    residuals: residualErrors(
      runs.flatMap(({ observed }) => observed.requests),
      replays.flatMap((replay: Replay) => replay.requests),
    ),
  };
  return {
    factors,
    costModel: rooflineCostModel({ ...options, factors, calibration }),
    runs: runs.map(({ observed }, index) => ({
      name: observed.name,
      requests: observed.requests.length,
      residuals: residualErrors(observed.requests, (replays[index] as Replay).requests),
    })),
  };
}

const UNCALIBRATED: Calibration = { provenance: 'being fitted', hull: null, residuals: [] };

function unionOf(a: LoadHull, b: LoadHull): LoadHull {
  return {
    sequences: Math.max(a.sequences, b.sequences),
    decodeContextTokens: Math.max(a.decodeContextTokens, b.decodeContextTokens),
    prefillTokens: Math.max(a.prefillTokens, b.prefillTokens),
    attentionPairs: Math.max(a.attentionPairs, b.attentionPairs),
  };
}
