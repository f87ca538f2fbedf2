/** What a schedule will send and may receive, before anything is sent. */
import type { Schedule } from './schedule.ts';

export interface TokenPrices {
  readonly pricePerMillionInputTokensUsd: number;
  readonly pricePerMillionOutputTokensUsd: number;
}

/** Upper bounds: a closed loop may be stopped by its duration before it sends everything. */
export interface LoadEstimate {
  readonly requests: number;
  /** Planned prompt tokens, summed where known. */
  readonly promptTokens: number;
  /** Requests whose prompt length is not known. */
  readonly promptTokensUnknown: number;
  /** Output limits, summed where known. */
  readonly outputTokensMax: number;
  /** Requests without an output limit. */
  readonly outputTokensUnknown: number;
  /** Until nothing more is started; answers still in flight come on top. */
  readonly durationNs: number;
  /** `null` without prices, and where a length is not known: an unknown cost is not a low one. */
  readonly costUsd: number | null;
}

/** Adds up the schedules of all load points of a run. */
export function estimateLoad(plan: {
  readonly schedules: readonly Schedule[];
  readonly prices: TokenPrices | null;
}): LoadEstimate {
  let requests = 0;
  let promptTokens = 0;
  let promptTokensUnknown = 0;
  let outputTokensMax = 0;
  let outputTokensUnknown = 0;
  let durationNs = 0;
  for (const schedule of plan.schedules) {
    requests += schedule.requests.length;
    durationNs += schedule.stopNs;
    for (const request of schedule.requests) {
      if (request.promptTokens === null) promptTokensUnknown += 1;
      else promptTokens += request.promptTokens;
      if (request.outputTokensMax === null) outputTokensUnknown += 1;
      else outputTokensMax += request.outputTokensMax;
    }
  }
  const known = promptTokensUnknown + outputTokensUnknown === 0;
  const { prices } = plan;
  const costUsd =
    prices === null || !known
      ? null
      : (promptTokens * prices.pricePerMillionInputTokensUsd +
          outputTokensMax * prices.pricePerMillionOutputTokensUsd) /
        1e6;
  return {
    requests,
    promptTokens,
    promptTokensUnknown,
    outputTokensMax,
    outputTokensUnknown,
    durationNs,
    costUsd,
  };
}
