import { expect, test } from 'vitest';
import { clopperPearsonInterval } from './binomial.ts';
import { queueDesignEffect, replicatedShareEstimate, shareEstimate } from './share-interval.ts';

/** 32 batches of 50, of which `good(batch)` were good. */
const batches = (good: (batch: number) => number) =>
  Array.from({ length: 32 }, (_, batch) => ({ good: good(batch), offered: 50 }));

test('without a miss it is the exact interval at the size that the queue leaves', () => {
  const estimate = shareEstimate(
    batches(() => 50),
    16,
  );
  expect(estimate?.dependence).toMatchObject({ designEffect: 16, effectiveN: 100, assumed: true });
  const exact = clopperPearsonInterval(100, 100);
  // A little wider still, for the variance that was not measured.
  expect(estimate?.interval?.low).toBeLessThan(exact?.low as number);
  expect(estimate?.interval?.low).toBeGreaterThan((exact?.low as number) - 0.01);
  expect(estimate?.interval?.high).toBe(1);
});

test('it is never narrower than the effective n allows, whatever the raw n', () => {
  // Misses come ten at a time: the raw 1,600 are worth a tenth.
  const clumped = shareEstimate(
    batches((batch) => (batch % 2 === 0 ? 30 : 50)),
    1,
  );
  const even = shareEstimate(
    batches(() => 40),
    1,
  );
  expect(even?.dependence.effectiveN).toBe(1_600);
  expect(clumped?.dependence.effectiveN).toBeLessThan(500);
  const width = (of: typeof even): number =>
    (of?.interval?.high as number) - (of?.interval?.low as number);
  expect(width(clumped)).toBeGreaterThan(1.5 * width(even));
});

test('too few looks at the queue: no interval, and how much longer it would take', () => {
  const estimate = shareEstimate(
    batches(() => 50),
    160,
  );
  expect(estimate?.interval).toBeNull();
  expect(estimate?.missingFactor).toBe(3);
});

test('replications: five at least, the variance is that between them', () => {
  const alike = Array.from({ length: 5 }, () => batches((batch) => (batch % 2 === 0 ? 44 : 46)));
  const apart = alike.map((_, at) => batches(() => 43 + at));
  expect(replicatedShareEstimate(alike.slice(1), 5)).toBeNull();
  const [narrow, wide] = [alike, apart].map((all) => replicatedShareEstimate(all, 5)!);
  expect(narrow?.dependence.designEffect).toBe(1);
  expect(wide?.dependence.designEffect).toBeGreaterThan(10);
  expect(wide?.dependence.degrees).toBe(4);
});

test('the queue’s own memory: a level that stays long gives few looks', () => {
  const levels = (period: number) =>
    Float64Array.from({ length: 3_200 }, (_, at) => (Math.floor(at / period) % 2 === 0 ? 2 : 6));
  const [quick, slow] = [levels(5), levels(800)].map((path) => queueDesignEffect(path, 3_200));
  expect(quick).toBeLessThan(10);
  expect(slow).toBeGreaterThan(300);
});

test('a level that never moves tells only how many are inside together', () => {
  expect(queueDesignEffect(new Float64Array(3_200).fill(8), 1_000)).toBe(8);
  expect(queueDesignEffect(new Float64Array(3_200), 1_000)).toBe(1);
});
