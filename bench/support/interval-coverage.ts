/** How often intervals over a few paired differences hold the truth. */
import {
  normalQuantile,
  pairedBootstrapInterval,
  resampledMeans,
  studentTCdf,
  studentTQuantile,
} from '../../src/stats/index.ts';
import { type Draw, normalDraw } from './noisy-windows.ts';

/** Differences of two equal sides; the true mean is 0. */
export const DIFFERENCES: readonly {
  readonly name: string;
  readonly draw: (random: Draw) => number;
}[] = [
  { name: 'normal', draw: normalDraw },
  {
    name: 'of skewed figures (log-normal, σ 0.8)',
    draw: (random) => Math.exp(0.8 * normalDraw(random)) - Math.exp(0.8 * normalDraw(random)),
  },
  {
    name: 'heavy-tailed (t, 3 degrees)',
    draw: (random) => {
      const squares = [0, 0, 0].map(() => normalDraw(random) ** 2);
      return normalDraw(random) / Math.sqrt(squares.reduce((sum, each) => sum + each, 0) / 3);
    },
  },
  {
    name: 'of counts (0.6 misses a window)',
    draw: (random) => missCount(random) - missCount(random),
  },
];

function missCount(random: Draw): number {
  return Array.from({ length: 60 }, () => (random() < 0.01 ? 1 : 0)).reduce<number>(
    (sum, miss) => sum + miss,
    0,
  );
}

export interface Coverage {
  readonly percentile: number;
  readonly bca: number;
  readonly expanded: number;
  readonly student: number;
}

const RESAMPLES = 999;

/** Shares of `trials` in which nominal 95 % intervals hold 0. */
export function coverage(
  draw: (random: Draw) => number,
  pairs: number,
  options: { readonly trials: number; readonly random: Draw },
): Coverage {
  const { trials, random } = options;
  const hits = { percentile: 0, bca: 0, expanded: 0, student: 0 };
  for (let trial = 0; trial < trials; trial += 1) {
    const values = Array.from({ length: pairs }, () => draw(random));
    const means = resampledMeans(values, RESAMPLES, random);
    const expanded = pairedBootstrapInterval(values, { random, resamples: RESAMPLES });
    if (holds([cut(means, 0.025), cut(means, 0.975)])) hits.percentile += 1;
    if (holds(bcaInterval(values, means))) hits.bca += 1;
    if (expanded !== null && holds([expanded.low, expanded.high])) hits.expanded += 1;
    if (holds(studentInterval(values))) hits.student += 1;
  }
  return {
    percentile: hits.percentile / trials,
    bca: hits.bca / trials,
    expanded: hits.expanded / trials,
    student: hits.student / trials,
  };
}

type Ends = readonly [low: number, high: number];

function holds([low, high]: Ends): boolean {
  return low <= 1e-12 && high >= -1e-12;
}

function cut(means: Float64Array, share: number): number {
  const at = Math.floor(share * (means.length + 1)) - 1;
  return means[Math.min(means.length - 1, Math.max(0, at))] as number;
}

function studentInterval(values: readonly number[]): Ends {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const half = studentTQuantile(0.975, n - 1) * Math.sqrt(squares / (n - 1) / n);
  return [mean - half, mean + half];
}

/** Efron's bias-corrected and accelerated interval, the acceleration by the jackknife. */
function bcaInterval(values: readonly number[], means: Float64Array): Ends {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const below = means.filter((each) => each < mean).length;
  const equal = means.filter((each) => each === mean).length;
  const share = (below + equal / 2) / means.length;
  const bias = normalQuantile(Math.min(1 - 1e-6, Math.max(1e-6, share)));
  const cubes = values.reduce((sum, value) => sum + (value - mean) ** 3, 0);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const acceleration = squares === 0 ? 0 : cubes / (6 * squares ** 1.5);
  const end = (z: number): number => {
    const moved = bias + (bias + z) / (1 - acceleration * (bias + z));
    return cut(means, studentTCdf(moved, 1e7));
  };
  return [end(normalQuantile(0.025)), end(normalQuantile(0.975))];
}
