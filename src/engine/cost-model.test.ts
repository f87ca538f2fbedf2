import { expect, test } from 'vitest';
import { seedCostModel } from './cost-model.ts';
import type { StepLoad } from './engine.ts';

function load(computedTokens: number, contextTokens: number): StepLoad {
  return {
    computedTokens,
    contextTokens,
    decodeSequences: 0,
    decodeContextTokens: 0,
    prefillSequences: 1,
    prefillTokens: computedTokens,
    completedPrompts: 0,
    attentionPairs: 0,
  };
}

test('an empty device pays for reading its weights, plus overhead', () => {
  const seconds = seedCostModel.stepSeconds(load(1, 0));
  expect(seconds).toBe(141e9 / 8 / 3.35e12 + 0.0008);
});

test('long contexts cost memory time', () => {
  const kvSeconds = (2 * 80 * 8 * 128 * 2) / 8 / 3.35e12;
  const seconds = seedCostModel.stepSeconds(load(1, 100_000));
  expect(seconds).toBe(141e9 / 8 / 3.35e12 + 100_000 * kvSeconds + 0.0008);
});

test('a full chunk costs compute time: the 15.86 ms at which the mission table saturates', () => {
  const seconds = seedCostModel.stepSeconds(load(512, 0));
  expect(seconds).toBe((512 * (2 * 70.6e9)) / 8 / 600e12 + 0.0008);
  expect(seconds * 1_000).toBeCloseTo(15.861, 3);
});
