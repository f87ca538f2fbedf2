import { expect, test } from 'vitest';
import { isDeclared, judgeDemand, usableShare } from './headroom.ts';
import { searchCost, secondsToReach } from './search-cost.ts';

const NONE = { burstFactor: null, growthShare: null, failover: null };

test('headroom is what is declared, and nothing when nothing is', () => {
  expect(isDeclared(NONE)).toBe(false);
  expect(usableShare(NONE)).toBe(1);
  // 12/s behind 4 replicas: with one lost 9/s, which bursts of 1.5 over 20 % growth leave 5/s.
  const needs = { burstFactor: 1.5, growthShare: 0.2, failover: { lost: 1, replicas: 4 } };
  expect(12 * usableShare(needs)).toBeCloseTo(5, 12);
  expect(() => usableShare({ ...NONE, failover: { lost: 2, replicas: 2 } })).toThrow(/no replica/);
  expect(() => usableShare({ ...NONE, burstFactor: 0.5 })).toThrow(/takes away/);
});

test('a demand is proven by the lower bound and refuted by the upper', () => {
  const capacity = { rps: 7, plannableRps: 6.7, highRps: 7.3 };
  const verdicts = [6.7, 6.8, 7.2, 7.4].map((rps) => judgeDemand(rps, capacity));
  expect(verdicts).toEqual(['met', 'likely', 'unlikely', 'missed']);
  expect(judgeDemand(1, { rps: null, plannableRps: null, highRps: null })).toBe('unknown');
  expect(judgeDemand(6, { rps: 7, plannableRps: null, highRps: null })).toBe('likely');
});

test('a search costs its hours and its tokens', () => {
  const prices = {
    inputTokensPerRequest: 2_000,
    outputTokensPerRequest: 200,
    costPerRequestUsd: 0.01,
    pricePerHourUsd: 98,
  };
  expect(searchCost({ seconds: 1_800, rps: 2 }, prices)).toEqual({
    seconds: 1_800,
    requests: 3_600,
    inputTokens: 7_200_000,
    outputTokens: 720_000,
    costUsd: 49 + 36,
  });
  const unknown = { ...prices, costPerRequestUsd: null, pricePerHourUsd: null };
  expect(searchCost({ seconds: 1, rps: 1 }, unknown).costUsd).toBeNull();
});

test('half the width takes four times as long', () => {
  expect(secondsToReach(0.02, { halfWidthShare: 0.04, measuredSeconds: 100 })).toBeCloseTo(300, 9);
  expect(secondsToReach(0.02, { halfWidthShare: 0.01, measuredSeconds: 100 })).toBe(0);
});
