import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../base/index.ts';
import type { Timeline } from '../record/index.ts';
import type { ScheduledRequest } from '../workload/index.ts';
import { atSeconds, NO_LIMITS, scheduleOf } from '../../test/support/point-run.ts';
import { recordOf } from '../../test/support/record-builder.ts';
import { Budget, type BudgetLimits } from './budget.ts';

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

  it('counts what was started elsewhere, beyond its bound too', () => {
    const budget = new Budget({ ...NO_LIMITS, maxOutputTokens: 100 });
    budget.started(request(5, 80));
    budget.started(request(5, 80));
    budget.settle(request(5, 80), timeline(usage(5, 10)));
    expect(budget.spending()).toMatchObject({ requests: 2, outputTokens: 90 });
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

describe('shares', () => {
  const sized = fc.array(
    fc.record({
      promptTokens: fc.option(fc.nat({ max: 50 })),
      outputTokensMax: fc.option(fc.nat({ max: 50 })),
    }),
    { minLength: 1, maxLength: 20 },
  );

  it('together are what is left, and hold a load that fits as a whole', () => {
    fc.assert(
      fc.property(
        fc.array(sized, { minLength: 1, maxLength: 4 }),
        fc.nat({ max: 60 }),
        fc.nat({ max: 2_000 }),
        (shapes, spareRequests, spareTokens) => {
          const [template] = scheduleOf(atSeconds(0)).requests;
          const parts = shapes.map((part) => part.map((shape) => ({ ...template!, ...shape })));
          const all = parts.flat();
          const output = all.reduce((sum, { outputTokensMax }) => sum + (outputTokensMax ?? 0), 0);
          const maxRequests = all.length + spareRequests;
          const maxOutputTokens = output + spareTokens;
          const prices = {
            pricePerMillionInputTokensUsd: 1e6,
            pricePerMillionOutputTokensUsd: 2e6,
          };
          const whole = new Budget({ ...prices, maxRequests, maxOutputTokens, maxCostUsd: 1e9 });
          const shares = whole.shares(parts);
          const sum = (of: (limits: BudgetLimits) => number | null): number =>
            shares.reduce((total, share) => total + (of(share) ?? 0), 0);
          expect(sum((share) => share.maxRequests)).toBe(maxRequests);
          expect(sum((share) => share.maxOutputTokens)).toBe(maxOutputTokens);
          expect(sum((share) => share.maxCostUsd)).toBeCloseTo(1e9, 0);
          for (const [at, part] of parts.entries()) {
            const own = new Budget(shares[at] as BudgetLimits);
            expect(part.every((request) => own.reserve(request))).toBe(true);
          }
        },
      ),
    );
  });

  it('are of what is left, and of nothing where nothing is bounded', () => {
    const [first, second, third] = scheduleOf(atSeconds(0, 1, 2)).requests;
    const budget = new Budget({ ...NO_LIMITS, maxRequests: 4 });
    budget.reserve(first!);
    const shares = budget.shares([[second!], [third!]]);
    expect(shares.map(({ maxRequests }) => maxRequests)).toEqual([1, 2]);
    expect(shares.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([null, null]);
  });
});
