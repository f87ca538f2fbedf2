import { describe, expect, it } from 'vitest';
import { DecodeGaps } from './decode-gaps.ts';

const COST = {
  weightReadSeconds: 1,
  kvReadSecondsPerToken: 0.5,
  computeSecondsPerToken: 0.001,
  overheadSeconds: 0,
};
const step = { startSeconds: 0, computedTokens: 1, contextTokens: 0, growthTokens: 2 };

describe('DecodeGaps', () => {
  it('weighs each step by the requests that gain a token', () => {
    const gaps = new DecodeGaps(COST, { fromSeconds: -1, toSeconds: 100 });
    // 1 s and 2 s for three requests each, then 9 s for one.
    gaps.observe({ ...step, decodingRequests: 3 }, 2);
    gaps.observe({ ...step, decodingRequests: 1, contextTokens: 16 }, 1);
    expect(gaps.count).toBe(7);
    expect([0, 0.42, 0.43, 0.85, 0.86, 1].map((q) => gaps.quantileSeconds(q))).toEqual([
      1, 1, 2, 2, 9, 9,
    ]);
  });

  it('counts steps that start inside the window, edges left out', () => {
    const gaps = new DecodeGaps(COST, { fromSeconds: 0, toSeconds: 3 });
    // Starts at 0, 1 and 3.
    gaps.observe({ ...step, decodingRequests: 1 }, 3);
    expect(gaps.count).toBe(1);
    expect(gaps.quantileSeconds(0.5)).toBe(2);
  });

  it('has no quantile without a gap', () => {
    const gaps = new DecodeGaps(COST, { fromSeconds: 0, toSeconds: 3 });
    gaps.observe({ ...step, decodingRequests: 0, startSeconds: 1 }, 1);
    expect(gaps.quantileSeconds(0.5)).toBeNull();
  });
});
