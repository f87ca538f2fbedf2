/** The hypothetical capacity and cost budget of the mission document, one named test a number. */
import { expect, test } from 'vitest';
import {
  costPerMillionOutputTokensUsd,
  kvBytes,
  periodCostUsd,
  replicasFor,
} from '../../src/planner/index.ts';

const PEAK_RPS = 5000 / 60;
const PER_REPLICA_RPS = 850 / 200;
const REPLICAS = 26;
const PRICE_USD = 1.1;

test('850 output tokens/s at 200 tokens a request are 4.25 requests/s', () => {
  expect(PER_REPLICA_RPS).toBe(4.25);
});

test('5000 requests a minute are 83.333 a second', () => {
  expect(PEAK_RPS).toBeCloseTo(83.333, 3);
});

test('with a margin of 30 % the peak needs 26 replicas', () => {
  const replicas = replicasFor({
    peakRps: PEAK_RPS,
    perReplicaRps: PER_REPLICA_RPS,
    marginShare: 0.3,
  });
  expect(replicas).toBe(REPLICAS);
});

test('26 replicas at $1.10/h for four peak hours on 30 days cost $3432', () => {
  const costUsd = periodCostUsd({
    replicas: REPLICAS,
    pricePerReplicaHourUsd: PRICE_USD,
    hoursPerDay: 4,
    days: 30,
  });
  expect(costUsd).toBeCloseTo(3432, 9);
});

test('fully used, a million output tokens cost $0.35947712418300654', () => {
  const fleetUsd = costPerMillionOutputTokensUsd({
    hourlyCostUsd: REPLICAS * PRICE_USD,
    outputTokensPerSecond: 850 * REPLICAS,
  });
  const oneReplicaUsd = costPerMillionOutputTokensUsd({
    hourlyCostUsd: PRICE_USD,
    outputTokensPerSecond: 850,
  });
  expect(fleetUsd).toBeCloseTo(0.35947712418300654, 15);
  expect(oneReplicaUsd).toBeCloseTo(fleetUsd, 15);
});

test('a faster device of 30 requests/s needs 4 replicas, $16 an hour at $4', () => {
  const replicas = replicasFor({ peakRps: PEAK_RPS, perReplicaRps: 30, marginShare: 0.3 });
  expect(replicas).toBe(4);
  const hourUsd = periodCostUsd({ replicas, pricePerReplicaHourUsd: 4, hoursPerDay: 1, days: 1 });
  expect(hourUsd).toBe(16);
});

test('the KV cache counts key-value heads; query heads are wrong under grouped attention', () => {
  const shape = { layers: 80, batch: 4, tokens: 1000, headDim: 128, bytesPerElement: 2 };
  const bytes = kvBytes({ ...shape, kvHeads: 8 });
  expect(bytes).toBe(2 * 80 * 4 * 1000 * 8 * 128 * 2);
  expect(kvBytes({ ...shape, kvHeads: 64 })).toBe(8 * bytes);
});
