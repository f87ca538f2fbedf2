import { describe, expect, it } from 'vitest';
import { InvariantError } from '../base/index.ts';
import type { Timeline } from '../record/index.ts';
import type { ScheduledRequest } from '../workload/index.ts';
import { NO_LIMITS } from '../../test/support/point-run.ts';
import { recordOf } from '../../test/support/record-builder.ts';
import { Budget } from './budget.ts';

function request(promptTokens: number | null, outputTokensMax: number | null): ScheduledRequest {
  return {
    index: 0,
    release: { kind: 'slot' },
    promptTokens,
    outputTokensMax,
    prompt: { kind: 'body', entry: 0 },
    session: null,
    class: null,
    priority: 0,
  };
}

function timeline(changes: Partial<Timeline>): Timeline {
  return { ...(recordOf({ usage: null }).timeline as Timeline), ...changes };
}

const usage = (promptTokens: number, completionTokens: number): Partial<Timeline> => ({
  usage: { promptTokens, completionTokens, reasoningTokens: null, cachedPromptTokens: null },
});

describe('Budget', () => {
  it('bounds nothing by itself', () => {
    const budget = new Budget(NO_LIMITS);
    for (let each = 0; each < 100; each += 1) expect(budget.reserve(request(1e9, 1e9))).toBe(true);
  });

  it('lets the bound itself be reached, and nothing above it', () => {
    const budget = new Budget({ ...NO_LIMITS, maxOutputTokens: 100 });
    expect(budget.reserve(request(5, 60))).toBe(true);
    expect(budget.reserve(request(5, 41))).toBe(false);
    expect(budget.reserve(request(5, 40))).toBe(true);
    expect(budget.spending()).toMatchObject({ requests: 2, outputTokens: 100 });
  });

  it('counts what was used where the server told it', () => {
    const budget = new Budget({ ...NO_LIMITS, maxOutputTokens: 100 });
    budget.reserve(request(5, 100));
    budget.settle(request(5, 100), timeline(usage(7, 12)));
    expect(budget.spending().outputTokens).toBe(12);
  });

  it('keeps the most it could be where the server did not tell', () => {
    const budget = new Budget(NO_LIMITS);
    budget.reserve(request(5, 100));
    budget.settle(request(5, 100), timeline({}));
    expect(budget.spending().outputTokens).toBe(100);
  });

  it('gives back what a request that never left had reserved', () => {
    const budget = new Budget(NO_LIMITS);
    budget.reserve(request(5, 100));
    budget.settle(request(5, 100), timeline({ writtenNs: null, firstByteNs: null }));
    expect(budget.spending()).toEqual({ requests: 1, outputTokens: 0, costUsd: 0 });
  });

  it('bounds the cost of prompt and output at their prices', () => {
    const budget = new Budget({
      ...NO_LIMITS,
      maxCostUsd: 1,
      pricePerMillionInputTokensUsd: 2,
      pricePerMillionOutputTokensUsd: 10,
    });
    // 0.2 + 0.6 USD, then 0.2 + 0.1.
    expect(budget.reserve(request(100_000, 60_000))).toBe(true);
    expect(budget.reserve(request(100_000, 10_000))).toBe(false);
    budget.settle(request(100_000, 60_000), timeline(usage(100_000, 30_000)));
    expect(budget.spending().costUsd).toBeCloseTo(0.5, 12);
    expect(budget.reserve(request(100_000, 10_000))).toBe(true);
  });

  it('does not take a cost bound without prices', () => {
    expect(() => new Budget({ ...NO_LIMITS, maxCostUsd: 1 })).toThrow(InvariantError);
  });
});
