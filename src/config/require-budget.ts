/** Load on a public host needs an explicit budget, after an estimate of what would be sent. */
import { durationText, type Problem } from '../base/index.ts';
import type { LoadEstimate } from '../workload/index.ts';
import { isPublicHost } from './public-host.ts';
import type { RunSpec } from './run-spec.ts';

/** One line on what a run would send and may receive, at most. */
export function estimateText(estimate: LoadEstimate): string {
  const { requests, promptTokensUnknown, outputTokensUnknown } = estimate;
  const tokens = (count: number, unknown: number, what: string): string =>
    unknown === 0
      ? `${grouped(count)} ${what}`
      : `${grouped(count)} ${what} and an unknown number more`;
  return [
    `up to ${grouped(requests)} requests`,
    tokens(estimate.promptTokens, promptTokensUnknown, 'input tokens'),
    tokens(estimate.outputTokensMax, outputTokensUnknown, 'output tokens'),
    `in ${durationText(estimate.durationNs)}`,
    estimate.costUsd === null ? 'cost unknown' : `at most ${estimate.costUsd.toFixed(2)} USD`,
  ].join(', ');
}

/**
 * `E_BUDGET_REQUIRED` when the target is public and the spec bounds neither requests nor tokens
 * nor cost; else nothing. Private hosts need no permission.
 */
export function requireBudget(spec: RunSpec, estimate: LoadEstimate): Problem[] {
  const { maxRequests, maxOutputTokens, maxCostUsd } = spec.budget;
  const isBounded = maxRequests !== null || maxOutputTokens !== null || maxCostUsd !== null;
  if (isBounded || !isPublicHost(spec.target.url)) return [];
  return [
    {
      code: 'E_BUDGET_REQUIRED',
      message: `${new URL(spec.target.url).host} is a public host, and this run would send ${estimateText(estimate)}`,
      hint: `if that is what you want, say so: --max-requests ${estimate.requests} (or --max-tokens, or --max-cost)`,
      place: null,
    },
  ];
}

/** 12345678 → `12,345,678`, the same on every machine. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
