import { expect, test } from 'vitest';
import { detectableDifference, sampleDeviation } from './detectable-difference.ts';

test('the deviation of 2, 4, 4, 4, 5, 5, 7, 9 is √(32/7)', () => {
  expect(sampleDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(Math.sqrt(32 / 7), 12);
  expect(sampleDeviation([1])).toBeNull();
});

test('12 pairs of deviation 1 find 0.89 at 80 %: (2.201 + 0.876)/√12', () => {
  const found = detectableDifference({ deviation: 1, pairs: 12, criticalT: 2.201 });
  expect(found).toBeCloseTo((2.201 + 0.8755) / Math.sqrt(12), 3);
  expect(detectableDifference({ deviation: 1, pairs: 1, criticalT: 2 })).toBeNull();
});
