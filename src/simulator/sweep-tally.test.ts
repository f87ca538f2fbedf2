import { describe, expect, it } from 'vitest';
import { SweepTally } from './sweep-tally.ts';

function tally(more: { readonly splitTokens?: number } = {}): SweepTally {
  return new SweepTally({
    objective: { ttftSeconds: 1, tpotSeconds: 0.5 },
    window: { durationSeconds: 30, cutSeconds: 3 },
    splitTokens: more.splitTokens ?? null,
    keepsLatencies: true,
  });
}

describe('SweepTally', () => {
  it('counts arrivals strictly inside the window', () => {
    const one = tally();
    for (const arrival of [2, 3, 3.5, 26.5, 27, 28]) {
      one.finished(arrival, 10, 3, arrival + 0.5, arrival + 1);
    }
    expect(one.all).toEqual({ requests: 2, good: 2, ttftMisses: 0, tpotMisses: 0 });
    expect(one.outputTokens).toBe(6);
    expect(one.ttftSeconds).toEqual([0.5, 0.5]);
    expect(one.tpotSeconds).toEqual([0.25, 0.25]);
  });

  it('judges each request against both, a limit itself being met', () => {
    const one = tally();
    one.finished(4, 10, 3, 5, 6);
    one.finished(4, 10, 3, 5.25, 6);
    one.finished(4, 10, 3, 5, 6.25);
    one.finished(4, 10, 3, 5.25, 9);
    expect(one.all).toEqual({ requests: 4, good: 1, ttftMisses: 2, tpotMisses: 2 });
  });

  it('puts a prompt of exactly the split into the bucket from it on', () => {
    const one = tally({ splitTokens: 4_000 });
    one.finished(4, 3_999, 3, 4.5, 5);
    one.finished(4, 4_000, 3, 8, 9);
    expect(one.below).toMatchObject({ requests: 1, good: 1 });
    expect(one.from).toMatchObject({ requests: 1, good: 0 });
  });

  it('means the requests inside over each third', () => {
    const one = tally();
    one.finished(5, 10, 2, 6, 15);
    one.finished(20, 10, 2, 21, 99);
    expect([one.meanInside(0), one.meanInside(1), one.meanInside(2)]).toEqual([0.5, 0.5, 1]);
  });
});
