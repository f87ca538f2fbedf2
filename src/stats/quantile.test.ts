import { describe, expect, test } from 'vitest';
import { quantile, sampleQuantile, sortedCopy } from './quantile.ts';

const oneTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

describe('nearestRank', () => {
  test('takes the value at rank ⌈q·n⌉', () => {
    expect(quantile([10, 20, 30, 40], 0.5, 'nearestRank')).toBe(20);
    expect(quantile([10, 20, 30, 40], 0.51, 'nearestRank')).toBe(30);
    expect(quantile([10, 20, 30, 40], 1, 'nearestRank')).toBe(40);
    expect(quantile([10], 0.001, 'nearestRank')).toBe(10);
  });

  test('reads q as a decimal: every whole percent of 100 values is its own rank', () => {
    // In binary 0.07 * 100 > 7 and 0.29 * 100 < 29.
    const ranks = oneTo(100).map((percent) => quantile(oneTo(100), percent / 100, 'nearestRank'));
    expect(ranks).toEqual(oneTo(100));
  });

  test('reads 1 − 0.99 as one in a hundred', () => {
    expect(quantile(oneTo(1000), 1 - 0.99, 'nearestRank')).toBe(10);
  });

  test('does not forgive more than float noise', () => {
    expect(quantile(oneTo(100), 0.0700001, 'nearestRank')).toBe(8);
  });
});

describe('floorRank', () => {
  test('is one rank above nearestRank where q·n is whole, else the same', () => {
    expect(quantile(oneTo(20), 0.95, 'nearestRank')).toBe(19);
    expect(quantile(oneTo(20), 0.95, 'floorRank')).toBe(20);
    expect(quantile(oneTo(30), 0.95, 'nearestRank')).toBe(29);
    expect(quantile(oneTo(30), 0.95, 'floorRank')).toBe(29);
  });

  test('stays inside the sample at both ends', () => {
    expect(quantile([1, 2, 3], 1, 'floorRank')).toBe(3);
    expect(quantile([1, 2, 3], 0, 'floorRank')).toBe(1);
  });

  test('reads q as a decimal', () => {
    expect(quantile(oneTo(100), 0.29, 'floorRank')).toBe(30);
    expect(quantile(oneTo(100), 0.57, 'floorRank')).toBe(58);
  });
});

describe('linear', () => {
  test('interpolates at (n − 1)·q as numpy and R (type 7) do', () => {
    expect(quantile([1, 2, 3, 4], 0.5, 'linear')).toBe(2.5);
    expect(quantile([1, 2, 3, 100], 0.99, 'linear')).toBeCloseTo(97.09, 10);
    expect(quantile([1, 2, 3, 4], 0, 'linear')).toBe(1);
    expect(quantile([1, 2, 3, 4], 1, 'linear')).toBe(4);
    expect(quantile([7], 0.3, 'linear')).toBe(7);
  });

  test('keeps infinite values infinite rather than NaN', () => {
    const infinity = Number.POSITIVE_INFINITY;
    expect(quantile([1, infinity, infinity], 0.75, 'linear')).toBe(infinity);
    expect(quantile([1, infinity], 0, 'linear')).toBe(1);
  });
});

test('an empty sample and a q out of range are bugs of the caller', () => {
  expect(() => quantile([], 0.5, 'nearestRank')).toThrow(/at least one/);
  expect(() => quantile([1], 0, 'nearestRank')).toThrow(/out of range/);
  expect(() => quantile([1], 1.01, 'linear')).toThrow(/out of range/);
  expect(() => quantile([1], Number.NaN, 'floorRank')).toThrow(/out of range/);
});

test('a sample is sorted by number, not by text, and left as it was', () => {
  const values = [100, 9, 20];
  expect(sampleQuantile(values, 0.5, 'nearestRank')).toBe(20);
  expect(values).toEqual([100, 9, 20]);
  expect([...sortedCopy([-1, -10, 5])]).toEqual([-10, -1, 5]);
  expect(() => sortedCopy([1, Number.NaN, 2])).toThrow(/NaN/);
});
