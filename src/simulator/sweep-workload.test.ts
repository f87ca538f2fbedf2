import { expect, it } from 'vitest';
import { collectRequests, sweepSource } from './sweep-workload.ts';

it('gives 100,000 requests of the document’s workload as CPython draws them', () => {
  const block = collectRequests(
    sweepSource({ offeredRps: 7.5, durationSeconds: 13_341.133, seed: 3 }),
  );
  // Weights, so that two requests cannot have changed places.
  let prompts = 0;
  let outputs = 0;
  for (let at = 0; at < 100_000; at += 1) {
    prompts += block.promptTokens[at]! * ((at % 97) + 1);
    outputs += block.outputTokens[at]! * ((at % 97) + 1);
  }
  expect(block.arrivalSeconds[99_999]).toBeCloseTo(13_341.13349538344, 8);
  expect([prompts, outputs]).toEqual([13_372_414_168, 1_245_275_568]);
});

it('ends with the first request at or after the end', () => {
  const { arrivalSeconds, count } = collectRequests(
    sweepSource({ offeredRps: 50, durationSeconds: 10, seed: 1 }),
  );
  expect(arrivalSeconds[count - 1]).toBeGreaterThanOrEqual(10);
  expect(arrivalSeconds[count - 2]).toBeLessThan(10);
});

it('says at once that all is given', () => {
  const next = sweepSource({ offeredRps: 1, durationSeconds: 3, seed: 1 });
  expect(next()).not.toBeNull();
  expect(next()).toBeNull();
  expect(next()).toBeNull();
});
