/**
 * Least squares of a few bounded parameters, where the residuals come out of a simulation:
 * slightly rough, without derivatives, and nearly straight in the parameters.
 */
import { assert } from '../base/index.ts';

export interface LeastSquaresProblem {
  /** Residuals at a point; always as many. */
  readonly residuals: (point: readonly number[]) => readonly number[];
  /** Where to begin, within the bounds. One to six entries, each of a size around 1. */
  readonly start: readonly number[];
  /** What each entry may not go below. */
  readonly lower: readonly number[];
  /** Largest number of steps tried. */
  readonly rounds: number;
}

export interface LeastSquaresFit {
  readonly point: readonly number[];
  /** Sum of the squared residuals there. */
  readonly cost: number;
}

/**
 * Width of a finite difference to either side: beyond a simulation's roughness (who is preempted,
 * which engine is asked), below its curvature.
 */
const DIFFERENCE = 0.1;
/** A step that gains less than this part of the cost ends the search. */
const GAIN_SHARE = 1e-4;
const DAMPING_START = 1e-3;
const DAMPING_END = 1e6;

/**
 * Levenberg–Marquardt with every entry kept at or above its bound. Each step minimises the model ‖r + J·d‖² + λ·‖D·d‖²
 * within the bounds, and is taken only when it lowers the true cost; else λ grows.
 */
export function fitLeastSquares({
  residuals,
  start,
  lower,
  rounds,
}: LeastSquaresProblem): LeastSquaresFit {
  assert(start.length >= 1 && start.length <= 6, `${start.length} parameters instead of 1 to 6`);
  assert(
    start.every((value, index) => value >= (lower[index] as number)),
    'parameters begin within their bounds',
  );
  let point = [...start];
  let current = residuals(point);
  let cost = sumOfSquares(current);
  let damping = DAMPING_START;
  let jacobian: number[][] | null = null;
  for (let round = 0; round < rounds && damping < DAMPING_END && cost > 0; round += 1) {
    jacobian ??= differences(residuals, point, lower);
    const step = boundedStep(jacobian, current, {
      down: point.map((value, index) => value - (lower[index] as number)),
      damping,
    });
    const next = point.map((value, index) =>
      Math.max(lower[index] as number, value + (step[index] as number)),
    );
    const candidate = residuals(next);
    const candidateCost = sumOfSquares(candidate);
    if (candidateCost >= cost) {
      damping *= 8;
      continue;
    }
    const isSmall = cost - candidateCost < GAIN_SHARE * cost;
    [point, current, cost] = [next, candidate, candidateCost];
    if (isSmall) break;
    jacobian = null;
    damping /= 8;
  }
  return { point, cost };
}

/** One row per parameter: by how much each residual grows with it, between two points around. */
function differences(
  residuals: LeastSquaresProblem['residuals'],
  point: readonly number[],
  lower: readonly number[],
): number[][] {
  return point.map((value, index) => {
    const width = DIFFERENCE * Math.max(1, value);
    const [above, below] = [value + width, Math.max(lower[index] as number, value - width)];
    const after = residuals(point.with(index, above));
    const before = residuals(point.with(index, below));
    return after.map((residual, row) => (residual - (before[row] as number)) / (above - below));
  });
}

/**
 * The damped step within the bounds, by exact descent along one parameter after another. The
 * quadratic is convex and the bounds are a box, so this ends at its minimum.
 */
function boundedStep(
  jacobian: readonly (readonly number[])[],
  current: readonly number[],
  { down, damping }: { readonly down: readonly number[]; readonly damping: number },
): number[] {
  const size = down.length;
  const curvature = jacobian.map((a) => jacobian.map((b) => product(a, b)));
  const slope = jacobian.map((a) => product(a, current));
  const step = down.map(() => 0);
  for (let sweep = 0; sweep < 500; sweep += 1) {
    let moved = 0;
    for (let i = 0; i < size; i += 1) {
      const row = curvature[i] as readonly number[];
      const own = (row[i] as number) * (1 + damping);
      let pull = slope[i] as number;
      for (let j = 0; j < size; j += 1) {
        if (j !== i) pull += (row[j] as number) * (step[j] as number);
      }
      // Without influence on any residual a parameter stays where it is.
      const best = row[i] === 0 ? 0 : Math.max(-pull / own, -(down[i] as number));
      moved = Math.max(moved, Math.abs(best - (step[i] as number)));
      step[i] = best;
    }
    if (moved < 1e-12) break;
  }
  return step;
}

function product(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

function sumOfSquares(values: readonly number[]): number {
  return product(values, values);
}
