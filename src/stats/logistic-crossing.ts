/**
 * Where a share that falls with load crosses its target: a quasi-binomial logistic fit with windows
 * as its units, and Fieller's interval for the crossing.
 */
import { assert } from '../base/index.ts';
import { studentTQuantile } from './student-t.ts';

/** One window at one load: the unit of inference, never the single request. */
export interface LoadWindow {
  /** > 0. */
  readonly load: number;
  readonly good: number;
  /** > 0. */
  readonly offered: number;
}

/**
 * logit(share) = intercept + slope · ln(load / centre), with the covariance of both already
 * widened by the dispersion.
 */
export interface LogisticFit {
  readonly centreLoad: number;
  readonly intercept: number;
  readonly slope: number;
  /** Pearson's χ² over its degrees of freedom, at least 1: how far windows differ beyond chance. */
  readonly dispersion: number;
  /** Windows − 2. ≥ 1. */
  readonly degrees: number;
  readonly interceptVariance: number;
  readonly slopeVariance: number;
  readonly covariance: number;
}

/** Why no interval can be stated. */
export type NoCrossing =
  /** Fewer than three windows, or all at one load. */
  | 'tooFewWindows'
  /** The share does not fall with load beyond chance: the data bound the crossing on no side. */
  | 'noFall';

export interface Crossing {
  /** The load at which the fit meets the target; `null` when the fit does not fall. */
  readonly load: number | null;
  /** Two-sided at the level asked; `null` with {@link Crossing.reason}. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly reason: NoCrossing | null;
}

const ITERATIONS_MAX = 100;
const CONVERGED = 1e-10;
/** Longest Newton step in intercept and slope: keeps separated windows from running away. */
const STEP_MAX = { intercept: 2, slope: 20 };
/** Keeps a window whose fitted share is 0 or 1 to the last bit from weighing nothing. */
const WEIGHT_MIN = 1e-9;

/**
 * Fits the windows. `null` with fewer than three of them, when all are at one load, or when they
 * are so few or extreme that no finite line fits.
 *
 * Windows share no queue, so their spread about the line estimates how much less a request counts
 * than an independent one; the quasi-likelihood widens every variance by it. Source: McCullagh and
 * Nelder, Generalized Linear Models (1989), 4.5 and 9.
 */
export function logisticFit(
  windows: readonly LoadWindow[],
  options: { readonly centreLoad: number },
): LogisticFit | null {
  for (const { load, good, offered } of windows) {
    assert(load > 0 && offered > 0, `a window of ${offered} offered at load ${load}`);
    assert(good >= 0 && good <= offered, `${good} good of ${offered}`);
  }
  const degrees = windows.length - 2;
  if (degrees < 1) return null;
  const rows = windows.map((window) => ({
    ...window,
    x: Math.log(window.load / options.centreLoad),
  }));
  let line = { intercept: pooledLogit(windows), slope: 0 };
  for (let turn = 0; turn < ITERATIONS_MAX; turn += 1) {
    const step = newtonStep(rows, line);
    if (step === null) return null;
    line = { intercept: line.intercept + step.intercept, slope: line.slope + step.slope };
    if (Math.abs(step.intercept) + Math.abs(step.slope) > CONVERGED) continue;
    const { s0, s1, s2, determinant } = informationOf(rows, line);
    const dispersion = Math.max(1, pearson(rows, line) / degrees);
    return {
      centreLoad: options.centreLoad,
      ...line,
      dispersion,
      degrees,
      interceptVariance: (dispersion * s2) / determinant,
      slopeVariance: (dispersion * s0) / determinant,
      covariance: (-dispersion * s1) / determinant,
    };
  }
  return null;
}

/** The fitted share at a load. */
export function fittedShare(fit: LogisticFit, load: number): number {
  return shareAt(fit, Math.log(load / fit.centreLoad));
}

/**
 * The load at which the fit meets `share`, with Fieller's interval by Student's t: all loads at
 * which the data do not reject that the share is `share`. Unlike the delta method it stays honest
 * when the slope is uncertain, and then says that there is none.
 *
 * Range: `share` and `level` in (0, 1). Source: Fieller, JRSS B 16 (1954).
 */
export function logisticCrossing(fit: LogisticFit | null, share: number, level = 0.95): Crossing {
  assert(share > 0 && share < 1, `${share} is not a share that a logistic curve can cross`);
  if (fit === null) return { load: null, interval: null, reason: 'tooFewWindows' };
  const { centreLoad, slope, slopeVariance, interceptVariance, covariance, degrees } = fit;
  const above = fit.intercept - logit(share);
  const load = slope < 0 ? centreLoad * Math.exp(-above / slope) : null;
  const t2 = studentTQuantile((1 + level) / 2, degrees) ** 2;
  const a = slope ** 2 - t2 * slopeVariance;
  const b = above * slope - t2 * covariance;
  const c = above ** 2 - t2 * interceptVariance;
  const root = Math.sqrt(b ** 2 - a * c);
  if (!(slope < 0 && a > 0 && root >= 0)) return { load, interval: null, reason: 'noFall' };
  return {
    load,
    interval: {
      low: centreLoad * Math.exp((-b - root) / a),
      high: centreLoad * Math.exp((-b + root) / a),
    },
    reason: null,
  };
}

interface Line {
  readonly intercept: number;
  readonly slope: number;
}

type Row = LoadWindow & { readonly x: number };

function newtonStep(rows: readonly Row[], line: Line): Line | null {
  const { s0, s1, s2, determinant } = informationOf(rows, line);
  if (!(determinant > 1e-12 * s0 * s0)) return null;
  let r0 = 0;
  let r1 = 0;
  for (const { x, good, offered } of rows) {
    const residual = good - offered * shareAt(line, x);
    r0 += residual;
    r1 += residual * x;
  }
  const intercept = (s2 * r0 - s1 * r1) / determinant;
  const slope = (s0 * r1 - s1 * r0) / determinant;
  const shrink = Math.max(
    1,
    Math.abs(intercept) / STEP_MAX.intercept,
    Math.abs(slope) / STEP_MAX.slope,
  );
  return { intercept: intercept / shrink, slope: slope / shrink };
}

function informationOf(rows: readonly Row[], line: Line) {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  for (const { x, offered } of rows) {
    const share = shareAt(line, x);
    const weight = Math.max(WEIGHT_MIN, offered * share * (1 - share));
    s0 += weight;
    s1 += weight * x;
    s2 += weight * x * x;
  }
  return { s0, s1, s2, determinant: s0 * s2 - s1 * s1 };
}

function pearson(rows: readonly Row[], line: Line): number {
  let sum = 0;
  for (const { x, good, offered } of rows) {
    const share = shareAt(line, x);
    sum += (good - offered * share) ** 2 / Math.max(WEIGHT_MIN, offered * share * (1 - share));
  }
  return sum;
}

function pooledLogit(windows: readonly LoadWindow[]): number {
  const offered = windows.reduce((sum, window) => sum + window.offered, 0);
  const good = windows.reduce((sum, window) => sum + window.good, 0);
  return Math.log((good + 0.5) / (offered - good + 0.5));
}

function shareAt({ intercept, slope }: Line, x: number): number {
  return 1 / (1 + Math.exp(-(intercept + slope * x)));
}

function logit(share: number): number {
  return Math.log(share / (1 - share));
}
