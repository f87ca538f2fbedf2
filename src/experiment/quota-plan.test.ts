import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NS_PER_MS, NS_PER_SECOND } from '../base/index.ts';
import { NO_QUOTA } from '../config/index.ts';
import type { ToldLimit } from '../record/index.ts';
import { atSeconds, scheduleOf } from '../../test/support/point-run.ts';
import type { PlannedPoint } from './plan-run.ts';
import { busiestMinute, quotaNotes, quotaProblems, toldLimitWarnings } from './quota-plan.ts';

/** Each request: 10 prompt tokens and at most 20 of answer. */
function pointOf(seconds: readonly number[], { level = 1, stopSeconds = 600 } = {}): PlannedPoint {
  const stopNs = stopSeconds * NS_PER_SECOND;
  return {
    index: 0,
    load: { kind: 'rate', level, label: `${level}/s`, closedLoop: false },
    shape: { kind: 'rate' } as unknown as PlannedPoint['shape'],
    schedule: scheduleOf(atSeconds(...seconds), { stopNs }),
  };
}

const steady = (rps: number, seconds: number): PlannedPoint =>
  pointOf(
    Array.from({ length: rps * seconds }, (_, at) => at / rps),
    { level: rps, stopSeconds: seconds },
  );

describe('a plan against a quota', () => {
  it('is refused with the arithmetic and a rate that would do', () => {
    const quota = { ...NO_QUOTA, requestsPerMinute: 500 };
    const [problem] = quotaProblems([steady(20, 120)], quota);
    expect(problem?.code).toBe('E_BUDGET_IMPOSSIBLE');
    expect(problem?.message).toBe(
      'the busiest minute of this plan has 1,200 requests, and the quota allows 500 (20/s for 60 s are 1,200 requests)',
    );
    expect(problem?.hint).toBe('send at most about 8.3/s, and without bursts: --arrivals constant');
  });

  it('fits where the whole of it is no minute’s worth', () => {
    expect(quotaProblems([steady(20, 20)], { ...NO_QUOTA, requestsPerMinute: 500 })).toEqual([]);
    expect(quotaProblems([steady(20, 25)], { ...NO_QUOTA, requestsPerMinute: 500 })).toEqual([]);
    expect(quotaProblems([steady(20, 26)], { ...NO_QUOTA, requestsPerMinute: 500 })).toHaveLength(
      1,
    );
  });

  it('counts a minute that two points of a sweep share', () => {
    const points = [steady(5, 30), steady(10, 30)];
    expect(busiestMinute(points)?.requests).toBe(450);
    expect(quotaProblems(points, { ...NO_QUOTA, requestsPerMinute: 449 })).toHaveLength(1);
  });

  it('counts prompt and longest answer as tokens', () => {
    const tokensPerMinute = 60 * 30;
    expect(quotaProblems([steady(1, 120)], { ...NO_QUOTA, tokensPerMinute })).toEqual([]);
    const [problem] = quotaProblems([steady(2, 120)], { ...NO_QUOTA, tokensPerMinute });
    expect(problem?.message).toContain('3,600 tokens, prompt and longest answer');
  });

  it('says of a closed loop that only the run can tell', () => {
    const closed = pointOf([]);
    const slots = scheduleOf([{ kind: 'slot' }], { slots: 1 });
    const quota = { ...NO_QUOTA, requestsPerMinute: 1 };
    expect(quotaProblems([{ ...closed, schedule: slots }], quota)).toEqual([]);
    expect(quotaNotes([{ ...closed, schedule: slots }], quota)).toHaveLength(1);
    expect(quotaNotes([steady(1, 5)], quota)).toEqual([]);
  });

  it('law: the busiest minute is the most that any minute from an arrival on holds', () => {
    const instants = fc.array(fc.integer({ min: 0, max: 200_000 }), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(instants, (milliseconds) => {
        const seconds = milliseconds.toSorted((a, b) => a - b).map((ms) => ms / 1_000);
        const atNs = seconds.map((second) => Math.round(second * 1_000) * NS_PER_MS);
        const most = atNs.map(
          (from) => atNs.filter((at) => at >= from && at < from + 60 * NS_PER_SECOND).length,
        );
        const found = busiestMinute([pointOf(seconds)]);
        expect(found).toEqual({ requests: Math.max(...most), tokens: 30 * Math.max(...most) });
      }),
    );
  });
});

describe('a plan against what the provider tells', () => {
  const told = (more: Partial<ToldLimit>): ToldLimit => ({
    of: 'requests',
    per: 'minute',
    limitCount: null,
    remainingCount: null,
    resetNs: null,
    ...more,
  });

  it('is warned of a limit that its busiest minute passes', () => {
    const limits = [told({ limitCount: 500 }), told({ of: 'tokens', limitCount: 1_000_000 })];
    expect(toldLimitWarnings([steady(20, 60)], limits)).toEqual([
      'the provider says 500 requests/min, and the busiest minute of this plan has 1,200: expect refusals',
    ]);
    expect(toldLimitWarnings([steady(8, 60)], limits)).toEqual([]);
  });

  it('is warned of a day that has too few requests left', () => {
    const limits = [told({ per: 'day', limitCount: 14_400, remainingCount: 100 })];
    expect(toldLimitWarnings([steady(2, 60)], limits)[0]).toContain('100 requests left for today');
    expect(toldLimitWarnings([steady(1, 60)], limits)).toEqual([]);
  });
});
