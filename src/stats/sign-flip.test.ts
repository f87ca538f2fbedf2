import { describe, expect, test } from 'vitest';
import { randomStream } from '../base/index.ts';
import { signFlipTest } from './sign-flip.ts';

const options = (name = 'flip') => ({ random: randomStream(3, name) });

describe('signFlipTest', () => {
  test('gives the two extreme patterns of all: six alike differences are 2 of 64', () => {
    const { adjustedP } = signFlipTest([[1, 2, 3, 4, 5, 6]], options());
    expect(adjustedP).toEqual([2 / 64]);
  });

  test("finds Fisher's figure for Darwin's fifteen pairs of plants: 5.3 %", () => {
    // The Design of Experiments (1935), section 21: 863 and 5.267 % by all 2¹⁵ patterns.
    const heights = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
    const { adjustedP } = signFlipTest([heights], options());
    expect(adjustedP[0]).toBeGreaterThan(0.042);
    expect(adjustedP[0]).toBeLessThan(0.064);
  });

  test('asks more of one row among many, and nothing more of a row told twice', () => {
    const row = [1.1, 0.9, 1.2, 0.2, 0.8, -0.3, 0.6, 1.4];
    const noise = (name: string) => {
      const random = randomStream(9, name);
      return row.map(() => random() - 0.5);
    };
    const alone = signFlipTest([row], options()).adjustedP[0] as number;
    const twice = signFlipTest([row, row], options()).adjustedP[0] as number;
    const among = signFlipTest([row, ...'abcdefgh'.split('').map(noise)], options());
    expect(twice).toBe(alone);
    expect(among.adjustedP[0]).toBeGreaterThan(alone);
  });

  test('no difference at all is not striking, and no size is with five pairs', () => {
    expect(signFlipTest([[0, 0, 0, 0, 0, 0]], options()).adjustedP).toEqual([1]);
    expect(signFlipTest([[null, 1, null, null, null, null]], options()).adjustedP).toEqual([1]);
    expect(signFlipTest([[1, -2, 3, 2, 5]], options()).criticalT).toBeNull();
  });

  test('its critical size is that of Student at many pairs, and more for many rows', () => {
    const random = randomStream(1, 'rows');
    const row = (): number[] => Array.from({ length: 40 }, () => random() - 0.5);
    const one = signFlipTest([row()], options()).criticalT ?? 0;
    expect(one).toBeGreaterThan(1.9);
    expect(one).toBeLessThan(2.15);
    expect(signFlipTest(Array.from({ length: 8 }, row), options()).criticalT).toBeGreaterThan(2.5);
  });
});
