import { describe, expect, it } from 'vitest';
import { nsFromSeconds } from '../base/index.ts';
import { burnRate, errorBudget, timeToExhaustionNs } from './error-budget.ts';

const DAY_NS = nsFromSeconds(86_400);

describe('an error budget', () => {
  it('is spent by misses and may be overspent', () => {
    const half = errorBudget({ targetShare: 0.97, offered: 1_000, bad: 15 });
    expect(half).toEqual({ budgetShare: 0.03, allowedBad: 30, spentShare: 0.5, leftShare: 0.5 });
    const over = errorBudget({ targetShare: 0.97, offered: 1_000, bad: 60 });
    expect([over.spentShare, over.leftShare]).toEqual([2, -1]);
  });

  it('is whole before anything was offered', () => {
    expect(errorBudget({ targetShare: 0.97, offered: 0, bad: 0 })).toMatchObject({
      spentShare: 0,
      leftShare: 1,
    });
  });

  it('of a 100 % target is nothing: any miss is beyond counting', () => {
    expect(errorBudget({ targetShare: 1, offered: 10, bad: 0 }).spentShare).toBe(0);
    expect(errorBudget({ targetShare: 1, offered: 10, bad: 1 }).spentShare).toBeNull();
    expect(burnRate({ targetShare: 1, offered: 10, bad: 1 })).toBeNull();
  });

  it('refuses counts that cannot be', () => {
    expect(() => errorBudget({ targetShare: 0.9, offered: 1, bad: 2 })).toThrow('2 bad of 1');
    expect(() => burnRate({ targetShare: 0, offered: 1, bad: 0 })).toThrow('target 0');
  });
});

describe('a burn rate', () => {
  it('is 1 when the budget lasts exactly its period', () => {
    expect(burnRate({ targetShare: 0.97, offered: 100, bad: 3 })).toBe(1);
    const leftNs = timeToExhaustionNs({ leftShare: 1, burnRate: 1, periodNs: 30 * DAY_NS });
    expect(leftNs).toBe(30 * DAY_NS);
  });

  it('is not observed without requests', () => {
    expect(burnRate({ targetShare: 0.97, offered: 0, bad: 0 })).toBeNull();
  });

  it('of 0 never ends a budget, and a spent budget is at its end', () => {
    expect(timeToExhaustionNs({ leftShare: 0.5, burnRate: 0, periodNs: DAY_NS })).toBeNull();
    expect(timeToExhaustionNs({ leftShare: -0.1, burnRate: 0, periodNs: DAY_NS })).toBe(0);
  });
});
