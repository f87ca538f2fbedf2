/** Arrival processes keep the rate and the burstiness they promise. Fixed seeds: never flaky. */
import { describe, expect, test } from 'vitest';
import { NS_PER_SECOND, randomStream } from '../../src/base/index.ts';
import { arrivalInstantsNs, type ArrivalProcess } from '../../src/workload/index.ts';

function instants(
  arrivals: ArrivalProcess,
  options: { rateRps: number; seconds: number; seed: number },
): number[] {
  const { rateRps, seconds, seed } = options;
  const durationNs = seconds * NS_PER_SECOND;
  const plan = { arrivals, rateRps, durationNs, limit: Number.POSITIVE_INFINITY };
  return arrivalInstantsNs(plan, randomStream(seed, 'arrivals'));
}

function meanAndCv(values: readonly number[]): { mean: number; cv: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, cv: Math.sqrt(variance) / mean };
}

function gaps(atNs: readonly number[]): number[] {
  return atNs.slice(1).map((at, i) => at - atNs[i]!);
}

const PROCESSES: readonly [ArrivalProcess, number][] = [
  [{ kind: 'poisson' }, 1],
  [{ kind: 'gamma', cv: 1 }, 1],
  [{ kind: 'gamma', cv: 0.3 }, 0.3],
  [{ kind: 'gamma', cv: 3 }, 3],
];

describe.each(PROCESSES)('%j', (arrivals, cv) => {
  test('gaps have mean 1/rate and the stated coefficient of variation', () => {
    const all = gaps(instants(arrivals, { rateRps: 50, seconds: 2_000, seed: 11 }));
    const observed = meanAndCv(all);
    const standardError = cv / Math.sqrt(all.length);
    expect(Math.abs(observed.mean / 20e6 - 1)).toBeLessThan(4 * standardError);
    expect(observed.cv / cv).toBeGreaterThan(0.95);
    expect(observed.cv / cv).toBeLessThan(1.05);
  });

  test('a short window holds rate × duration on average: no excess at the start', () => {
    const counts = Array.from(
      { length: 4_000 },
      (_, seed) => instants(arrivals, { rateRps: 5, seconds: 2, seed }).length,
    );
    const observed = meanAndCv(counts);
    const standardError = (observed.cv * observed.mean) / Math.sqrt(counts.length);
    expect(Math.abs(observed.mean - 10)).toBeLessThan(4 * standardError);
  });
});

test('Poisson counts of disjoint seconds have variance equal to their mean', () => {
  const counts = Array.from({ length: 2_000 }, () => 0);
  for (const atNs of instants({ kind: 'poisson' }, { rateRps: 20, seconds: 2_000, seed: 5 })) {
    counts[Math.floor(atNs / NS_PER_SECOND)]! += 1;
  }
  const { mean, cv } = meanAndCv(counts);
  // Standard error of a variance of 2,000 near-normal counts: √(2/2,000) of it.
  expect(Math.abs((cv * mean) ** 2 / mean - 1)).toBeLessThan(4 * Math.sqrt(2 / 2_000));
});
