/**
 * Where the warm-up of a run ends: MSER-5, which cuts off what makes the mean of the rest
 * least certain.
 *
 * Sources: White, Simulation 69 (1997); White, Cobb and Spratt, Winter Simulation Conference 2000;
 * Hoad, Robinson and Davies, Journal of the Operational Research Society 61 (2010), who found it the
 * best of the automatic rules.
 */
import { assert } from '../base/index.ts';

/** Values that make one mean, as the 5 in its name. */
const GROUP = 5;
/** Means that must be left, lest a chance run of equal ones win. */
const LEFT_LEAST = 5;
/** How many of its own standard errors the part cut off must differ from the rest. */
const DIFFERENCE_LEAST = 3;

/**
 * The share of `values`, taken at equal steps of time, that is warm-up: 0 when the start differs
 * from the rest by no more than chance explains.
 *
 * Undefined: `null` when the cut would take half or more, i.e. no steady state was seen, and when
 * there are fewer than 50 values.
 */
export function warmUpShare(values: readonly number[]): number | null {
  const means = groupMeans(values);
  const count = means.length;
  if (count < 2 * LEFT_LEAST) return null;
  const { cut, mean, deviation } = leastUncertain(means);
  if (cut >= count / 2) return null;
  if (cut === 0) return 0;
  const startMean = means.slice(0, cut).reduce((sum, value) => sum + value, 0) / cut;
  const chance = deviation / Math.sqrt(cut);
  return Math.abs(startMean - mean) > DIFFERENCE_LEAST * chance ? cut / count : 0;
}

function groupMeans(values: readonly number[]): number[] {
  const count = Math.floor(values.length / GROUP);
  // What does not fill a group is left out at the start, where it would be cut off soonest.
  const offset = values.length - count * GROUP;
  return Array.from({ length: count }, (_, group) => {
    const from = offset + group * GROUP;
    return values.slice(from, from + GROUP).reduce((sum, value) => sum + value, 0) / GROUP;
  });
}

/** The cut after which Σ (x − mean)² / n² is least; of several, the shortest. */
function leastUncertain(means: readonly number[]): {
  readonly cut: number;
  readonly mean: number;
  readonly deviation: number;
} {
  assert(means.length > LEFT_LEAST, 'too few means to cut');
  let best = { cut: 0, mean: 0, deviation: 0 };
  let least = Number.POSITIVE_INFINITY;
  let n = 0;
  let mean = 0;
  let squares = 0;
  // From the end, so that each cut costs one step (Welford).
  for (let cut = means.length - 1; cut >= 0; cut -= 1) {
    const value = means[cut] as number;
    n += 1;
    const delta = value - mean;
    mean += delta / n;
    squares += delta * (value - mean);
    const statistic = squares / (n * n);
    if (n >= LEFT_LEAST && statistic <= least) {
      least = statistic;
      best = { cut, mean, deviation: Math.sqrt(squares / (n - 1)) };
    }
  }
  return best;
}
