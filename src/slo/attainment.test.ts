import { describe, expect, it } from 'vitest';
import { nsFromSeconds } from '../base/index.ts';
import { attainmentOf, goodputRps, tallyVerdicts, type VerdictTally } from './attainment.ts';
import type { Judgement, Outcome, Verdict } from './judgement.ts';

const NONE: VerdictTally = { good: 0, bad: 0, unjudged: 0, excluded: 0, dropped: 0 };

const judged = (outcome: Outcome, verdict: Verdict): Judgement => ({
  outcome,
  verdict,
  reason: null,
  objectives: [],
  promptBucket: 'unknown',
  promptTokensFrom: 'unknown',
});

describe('attainment', () => {
  it('counts unknown as bad and bounds what it could be', () => {
    const attainment = attainmentOf({ ...NONE, good: 6, bad: 2, unjudged: 2 });
    expect(attainment.share).toBe(0.6);
    expect(attainment.unknownBounds).toEqual({ low: 0.6, high: 0.8 });
    expect(attainment.unjudged).toBe(2);
  });

  it('leaves the excluded out of both denominators', () => {
    const tally = { ...NONE, good: 6, bad: 4, excluded: 90, dropped: 2 };
    expect(attainmentOf(tally)).toMatchObject({ offered: 10, denominator: 'offered' });
    expect(attainmentOf(tally, 'admitted')).toMatchObject({ offered: 8, denominator: 'admitted' });
  });

  it('is 0 of n when every request failed', () => {
    expect(attainmentOf({ ...NONE, bad: 7 })).toMatchObject({ good: 0, offered: 7, share: 0 });
  });

  it('is not observed when nothing was offered', () => {
    const attainment = attainmentOf({ ...NONE, excluded: 3 });
    expect(attainment).toMatchObject({ share: null, unknownBounds: null, interval: null });
  });

  it('has no interval from counts alone, and names the assumption of the one it would have', () => {
    expect(attainmentOf({ ...NONE, good: 95, bad: 5 }).interval).toBeNull();
    expect(attainmentOf({ ...NONE, good: 95, bad: 5 }).intervalIfIndependent).toMatchObject({
      level: 0.95,
      method: 'wilson, if independent',
      effectiveN: 100,
    });
  });
});

it('a tally leaves out what was not reached and counts the dropped among the bad', () => {
  const tally = tallyVerdicts([
    judged('completed', 'good'),
    judged('cancelled', 'unjudged'),
    judged('failed', 'bad'),
    judged('dropped', 'bad'),
    judged('refused', 'excluded'),
    judged('notReached', 'excluded'),
  ]);
  expect(tally).toEqual({ good: 1, bad: 2, unjudged: 1, excluded: 1, dropped: 1 });
});

it('goodput is good requests per second, and nothing over no time', () => {
  expect(goodputRps(6, nsFromSeconds(4))).toBe(1.5);
  expect(goodputRps(0, nsFromSeconds(4))).toBe(0);
  expect(goodputRps(6, 0)).toBeNull();
});
