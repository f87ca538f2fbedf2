import { describe, expect, test } from 'vitest';
import type { LoadEstimate } from '../workload/index.ts';
import { requireBudget, runSpecFromFlags, type RunSpec } from './index.ts';

const ESTIMATE: LoadEstimate = {
  requests: 12_345,
  promptTokens: 1_000_000,
  promptTokensUnknown: 0,
  outputTokensMax: 2_000_000,
  outputTokensUnknown: 3,
  durationNs: 60e9,
  costUsd: null,
};

function spec(flags: Record<string, string>): RunSpec {
  const parsed = runSpecFromFlags({ rate: '4', ...flags }, { env: {}, readFile: () => '' });
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.spec;
}

describe('requireBudget', () => {
  test('a public host without a budget is refused, with the estimate', () => {
    expect(requireBudget(spec({ url: 'https://api.example.com' }), ESTIMATE)).toEqual([
      {
        code: 'E_BUDGET_REQUIRED',
        message:
          'api.example.com is a public host, and this run would send up to 12,345 requests, ' +
          '1,000,000 input tokens, 2,000,000 output tokens and an unknown number more, in 60s, ' +
          'cost unknown',
        hint: expect.stringContaining('--max-requests 12345'),
        place: null,
      },
    ]);
  });

  test.each([
    { maxRequests: '1000' },
    { maxTokens: '1e6' },
    { maxCost: '5', inputPrice: '1', outputPrice: '1' },
  ])('any of the budgets will do: %o', (budget) => {
    const bounded = spec({ url: 'https://api.example.com', ...(budget as Record<string, string>) });
    expect(requireBudget(bounded, ESTIMATE)).toEqual([]);
  });

  test('a private host needs none', () => {
    expect(requireBudget(spec({ url: 'http://10.0.0.7:8000' }), ESTIMATE)).toEqual([]);
  });

  test('a ceiling on requests in flight bounds nothing in total', () => {
    const ceiling = spec({ url: 'https://api.example.com', maxInFlight: '4' });
    expect(requireBudget(ceiling, ESTIMATE)).toHaveLength(1);
  });
});
