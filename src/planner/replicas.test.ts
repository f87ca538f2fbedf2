import { describe, expect, test } from 'vitest';
import { costPerMillionOutputTokensUsd, periodCostUsd, replicasFor } from './replicas.ts';

describe('replicasFor', () => {
  test('rounds up', () => {
    expect(replicasFor({ peakRps: 10, perReplicaRps: 3, marginShare: 0 })).toBe(4);
    expect(replicasFor({ peakRps: 0.1, perReplicaRps: 3, marginShare: 0 })).toBe(1);
  });

  test('does not buy a replica for float noise', () => {
    // In binary 1.1 · 50 > 55 and 1.1 · 25 / 5.5 > 5.
    expect(replicasFor({ peakRps: 50, perReplicaRps: 1, marginShare: 0.1 })).toBe(55);
    expect(replicasFor({ peakRps: 25, perReplicaRps: 5.5, marginShare: 0.1 })).toBe(5);
    expect(replicasFor({ peakRps: 50.00001, perReplicaRps: 1, marginShare: 0.1 })).toBe(56);
  });

  test('refuses a demand or a capacity of nothing', () => {
    expect(() => replicasFor({ peakRps: 0, perReplicaRps: 3, marginShare: 0 })).toThrow(/peak/);
    expect(() => replicasFor({ peakRps: 1, perReplicaRps: 0, marginShare: 0 })).toThrow(/replica/);
    expect(() => replicasFor({ peakRps: 1, perReplicaRps: 1, marginShare: -0.1 })).toThrow(
      /margin/,
    );
  });
});

test('a period costs replicas times price times hours', () => {
  expect(periodCostUsd({ replicas: 3, pricePerReplicaHourUsd: 2, hoursPerDay: 24, days: 7 })).toBe(
    1008,
  );
});

test('a million tokens cost an hour over the tokens of an hour', () => {
  const perMillionUsd = costPerMillionOutputTokensUsd({
    hourlyCostUsd: 3.6,
    outputTokensPerSecond: 1000,
  });
  expect(perMillionUsd).toBeCloseTo(1, 12);
  expect(() =>
    costPerMillionOutputTokensUsd({ hourlyCostUsd: 1, outputTokensPerSecond: 0 }),
  ).toThrow(/output rate/);
});
