import { describe, expect, test } from 'vitest';
import { NS_PER_SECOND, randomStream } from '../base/index.ts';
import { arrivalInstantsNs } from './arrivals.ts';
import type { ArrivalProcess } from './spec.ts';

function instants(arrivals: ArrivalProcess, rateRps: number, seconds: number, seed = 1): number[] {
  return arrivalInstantsNs(
    {
      arrivals,
      rateRps,
      durationNs: seconds * NS_PER_SECOND,
      limit: Number.POSITIVE_INFINITY,
    },
    randomStream(seed, 'arrivals'),
  );
}

describe('constant arrivals', () => {
  test('the first is at 0 and the last before the end', () => {
    expect(instants({ kind: 'constant' }, 4, 1)).toEqual([0, 250e6, 500e6, 750e6]);
  });

  test.each([
    [3, 100, 300],
    [7, 3_600, 25_200],
    [0.1, 60, 6],
    [0.3, 10, 3],
    [1_000, 97, 97_000],
    [2.5, 1, 3],
  ])('%d/s for %d s are %d', (rateRps, seconds, count) => {
    expect(instants({ kind: 'constant' }, rateRps, seconds)).toHaveLength(count);
  });

  test('no drift: the millionth third of a second is where it belongs', () => {
    expect(instants({ kind: 'constant' }, 3, 333_334)[999_999]).toBe(333_333e9);
  });
});

describe('random arrivals', () => {
  test('a limit cuts, and changes nothing before the cut', () => {
    const all = instants({ kind: 'poisson' }, 10, 10);
    const plan = {
      arrivals: { kind: 'poisson' } as const,
      rateRps: 10,
      durationNs: 10e9,
      limit: 5,
    };
    expect(arrivalInstantsNs(plan, randomStream(1, 'arrivals'))).toEqual(all.slice(0, 5));
  });

  test('instants are whole, ascending and inside the duration', () => {
    const all = instants({ kind: 'gamma', cv: 4 }, 50, 20);
    expect(all.every((atNs) => Number.isSafeInteger(atNs) && atNs >= 0 && atNs < 20e9)).toBe(true);
    expect(all).toEqual(all.toSorted((a, b) => a - b));
  });

  test('twice the rate is the same pattern in half the time', () => {
    const slow = instants({ kind: 'poisson' }, 10, 10);
    const fast = instants({ kind: 'poisson' }, 20, 5);
    expect(fast).toHaveLength(slow.length);
    for (const [i, atNs] of slow.entries()) expect(Math.abs(atNs - 2 * fast[i]!)).toBeLessThan(2);
  });
});
