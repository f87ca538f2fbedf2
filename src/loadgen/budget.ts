/** The run's spending limits: hard bounds that a start must fit under before it is made. */
import { assert } from '../base/index.ts';
import type { Timeline } from '../record/index.ts';
import type { ScheduledRequest } from '../workload/index.ts';

/** Bounds over all load points of a run together. `null` = not bounded. */
export interface BudgetLimits {
  readonly maxRequests: number | null;
  readonly maxOutputTokens: number | null;
  readonly maxCostUsd: number | null;
  /** Must be known when `maxCostUsd` is set. */
  readonly pricePerMillionInputTokensUsd: number | null;
  readonly pricePerMillionOutputTokensUsd: number | null;
}

/** What was committed so far: known usage where the server told it, the most it could be else. */
export interface Spending {
  readonly requests: number;
  readonly outputTokens: number;
  readonly costUsd: number;
}

/**
 * Counts spending over all points of a run. A start reserves its planned prompt and its output
 * limit; when the request ends, the usage the server reported takes their place. A request
 * without a declared output limit reserves nothing until its usage is known, so the bound may then
 * be passed by what is in flight.
 */
export class Budget {
  readonly #limits: BudgetLimits;
  #requests = 0;
  #inputTokens = 0;
  #outputTokens = 0;

  constructor(limits: BudgetLimits) {
    assert(
      limits.maxCostUsd === null ||
        (limits.pricePerMillionInputTokensUsd !== null &&
          limits.pricePerMillionOutputTokensUsd !== null),
      'a cost bound needs both token prices',
    );
    this.#limits = limits;
  }

  /** Reserves what `request` may spend; false, reserving nothing, when a bound would be passed. */
  reserve(request: ScheduledRequest): boolean {
    const inputTokens = this.#inputTokens + (request.promptTokens ?? 0);
    const outputTokens = this.#outputTokens + (request.outputTokensMax ?? 0);
    const { maxRequests, maxOutputTokens, maxCostUsd } = this.#limits;
    if (maxRequests !== null && this.#requests + 1 > maxRequests) return false;
    if (maxOutputTokens !== null && outputTokens > maxOutputTokens) return false;
    if (maxCostUsd !== null && this.#costUsd(inputTokens, outputTokens) > maxCostUsd) return false;
    this.started(request);
    return true;
  }

  /** Reserves without asking, for a start that was made under a share of this budget. */
  started(request: ScheduledRequest): void {
    this.#requests += 1;
    this.#inputTokens += request.promptTokens ?? 0;
    this.#outputTokens += request.outputTokensMax ?? 0;
  }

  /** Puts what a reserved request really used in the place of its reservation. */
  settle(request: ScheduledRequest, timeline: Timeline): void {
    // Nothing that never left this machine was ever billed.
    const unsent = timeline.writtenNs === null && timeline.firstByteNs === null;
    const promptPlanned = request.promptTokens ?? 0;
    const outputPlanned = request.outputTokensMax ?? 0;
    const promptUsed = unsent ? 0 : (timeline.usage?.promptTokens ?? promptPlanned);
    const outputUsed = unsent ? 0 : (timeline.usage?.completionTokens ?? outputPlanned);
    this.#inputTokens += promptUsed - promptPlanned;
    this.#outputTokens += outputUsed - outputPlanned;
  }

  /**
   * Limits for parts of a load that are spent apart, together at most what is left here. Each in
   * proportion to the most its requests can spend, so that a load which fits as a whole fits in its
   * parts.
   */
  shares(parts: readonly (readonly ScheduledRequest[])[]): BudgetLimits[] {
    const { maxRequests, maxOutputTokens, maxCostUsd } = this.#limits;
    const { requests, outputTokens, costUsd } = this.spending();
    const needs = parts.map((part) => {
      const input = part.reduce((sum, { promptTokens }) => sum + (promptTokens ?? 0), 0);
      const output = part.reduce((sum, { outputTokensMax }) => sum + (outputTokensMax ?? 0), 0);
      return { requests: part.length, output, costUsd: this.#costUsd(input, output) };
    });
    const ofRequests = wholeShares(
      maxRequests,
      requests,
      needs.map((need) => need.requests),
    );
    const ofTokens = wholeShares(
      maxOutputTokens,
      outputTokens,
      needs.map((need) => need.output),
    );
    const totalUsd = needs.reduce((sum, need) => sum + need.costUsd, 0);
    return needs.map((need, part) => ({
      ...this.#limits,
      maxRequests: ofRequests?.[part] ?? null,
      maxOutputTokens: ofTokens?.[part] ?? null,
      maxCostUsd:
        maxCostUsd === null
          ? null
          : Math.max(0, maxCostUsd - costUsd) *
            (totalUsd > 0 ? need.costUsd / totalUsd : 1 / parts.length),
    }));
  }

  spending(): Spending {
    return {
      requests: this.#requests,
      outputTokens: this.#outputTokens,
      costUsd: this.#costUsd(this.#inputTokens, this.#outputTokens),
    };
  }

  #costUsd(inputTokens: number, outputTokens: number): number {
    const { pricePerMillionInputTokensUsd, pricePerMillionOutputTokensUsd } = this.#limits;
    return (
      (inputTokens * (pricePerMillionInputTokensUsd ?? 0) +
        outputTokens * (pricePerMillionOutputTokensUsd ?? 0)) /
      1_000_000
    );
  }
}

/** What is left of `limit` in whole parts by weight; their sum is what is left. */
function wholeShares(
  limit: number | null,
  spent: number,
  weights: readonly number[],
): number[] | null {
  if (limit === null) return null;
  const left = Math.max(0, limit - spent);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let weightBefore = 0;
  let before = 0;
  return weights.map((weight, part) => {
    weightBefore += total > 0 ? weight : 1;
    const isLast = part === weights.length - 1;
    const upTo = isLast ? left : Math.floor((left * weightBefore) / (total || weights.length));
    const share = upTo - before;
    before = upTo;
    return share;
  });
}
