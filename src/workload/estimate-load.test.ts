import { expect, test } from 'vitest';
import { estimateLoad } from './estimate-load.ts';
import type { Schedule } from './schedule.ts';

function schedule(...lengths: readonly (readonly [number | null, number | null])[]): Schedule {
  const requests = lengths.map(
    ([promptTokens, outputTokensMax], index) =>
      ({
        index,
        release: { kind: 'slot' },
        promptTokens,
        outputTokensMax,
        prompt: { kind: 'body', entry: 0 },
        session: null,
        class: null,
        priority: 0,
      }) as const,
  );
  return { requests, stopNs: 10e9, slots: 1, hash: '' };
}

const PRICES = { pricePerMillionInputTokensUsd: 3, pricePerMillionOutputTokensUsd: 15 };

test('adds up the points of a run and prices them', () => {
  const schedules = [schedule([1_000, 100], [500, 200]), schedule([500, 100])];
  expect(estimateLoad({ schedules, prices: PRICES })).toEqual({
    requests: 3,
    promptTokens: 2_000,
    promptTokensUnknown: 0,
    outputTokensMax: 400,
    outputTokensUnknown: 0,
    durationNs: 20e9,
    costUsd: 0.012,
  });
});

test('unknown lengths are counted apart and leave the cost unknown', () => {
  const estimate = estimateLoad({ schedules: [schedule([null, 100], [7, null])], prices: PRICES });
  expect(estimate).toMatchObject({
    promptTokens: 7,
    promptTokensUnknown: 1,
    outputTokensMax: 100,
    outputTokensUnknown: 1,
    costUsd: null,
  });
});

test('without prices the cost is unknown, not 0', () => {
  expect(estimateLoad({ schedules: [schedule([1, 1])], prices: null }).costUsd).toBeNull();
});
