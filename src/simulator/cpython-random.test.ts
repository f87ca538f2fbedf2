/** Values printed by CPython 3.11. */
import { describe, expect, it } from 'vitest';
import { CpythonRandom } from './cpython-random.ts';

/** What may differ: the last bit of a logarithm, and of what is made from it. */
const RELATIVE_TOLERANCE = 1e-15;

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  for (const [at, value] of actual.entries()) {
    expect(Math.abs(value / expected[at]! - 1)).toBeLessThanOrEqual(RELATIVE_TOLERANCE);
  }
}

const times = (n: number, draw: () => number): number[] => Array.from({ length: n }, draw);

describe('CpythonRandom', () => {
  // [random.Random(seed).random() for _ in range(3)]
  it.each([
    [3, [0.23796462709189137, 0.5442292252959519, 0.36995516654807925]],
    [0, [0.8444218515250481, 0.7579544029403025, 0.420571580830845]],
    [-3, [0.23796462709189137, 0.5442292252959519, 0.36995516654807925]],
    [2 ** 32 + 5, [0.15727238718789782, 0.2824866316461999, 0.6044540318498407]],
    [2 ** 53 - 1, [0.09425040007102303, 0.22287455761867403, 0.19135148760372034]],
  ])('gives the doubles of seed %d', (seed, expected) => {
    const random = new CpythonRandom(seed);
    expect(times(3, () => random.random())).toEqual(expected);
  });

  it('goes on agreeing when the state is used up', () => {
    const random = new CpythonRandom(3);
    times(2_000, () => random.random());
    expect(random.random()).toBe(0.027308947309046983);
  });

  it('expovariate', () => {
    const random = new CpythonRandom(3);
    expectClose(
      times(3, () => random.expovariate(7.5)),
      [0.036234973764489115, 0.10476870438796952, 0.06159523972256172],
    );
  });

  it('normalvariate', () => {
    const random = new CpythonRandom(3);
    expectClose(
      times(4, () => random.normalvariate(0, 1)),
      [-0.9863049231655373, -0.5632587983771494, 0.2308007850995592, -0.5391818790332351],
    );
  });

  it('lognormvariate', () => {
    const random = new CpythonRandom(3);
    expectClose(
      times(4, () => random.lognormvariate(Math.log(2_000), 0.8)),
      [908.5578125774373, 1274.4824082287428, 2405.5722297873817, 1299.268842414836],
    );
  });

  it('refuses a seed that is not whole', () => {
    expect(() => new CpythonRandom(0.5)).toThrow(/whole/);
  });
});
