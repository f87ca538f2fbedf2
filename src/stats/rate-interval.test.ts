import { expect, test } from 'vitest';
import { rateInterval } from './rate-interval.ts';

const perSecond = (counts: readonly number[]) => counts.map((good) => ({ good, offered: 2 }));

test('equal counts have no spread; clumps do', () => {
  const even = rateInterval(perSecond(Array.from({ length: 32 }, () => 10)));
  expect(even).toMatchObject({ low: 5, high: 5, effectiveN: 320 });
  const clumped = rateInterval(perSecond(Array.from({ length: 32 }, (_, at) => (at % 2) * 20)));
  expect(clumped?.low).toBeLessThan(4.5);
  expect(clumped?.high).toBeGreaterThan(5.5);
  expect(clumped?.effectiveN).toBeLessThan(40);
});

test('few events, or few clumps, have no interval', () => {
  expect(rateInterval(perSecond([10, 9, 9]))).toBeNull();
  expect(rateInterval(perSecond([0, 0]))).toBeNull();
  expect(rateInterval(perSecond([...Array.from({ length: 31 }, () => 0), 500]))).toBeNull();
});
