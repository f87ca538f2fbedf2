/** What a capacity search takes: time, requests, tokens and money. */

/** What one request and one hour cost; `null` = not known. */
export interface LoadPrices {
  readonly inputTokensPerRequest: number | null;
  readonly outputTokensPerRequest: number | null;
  /** Of its tokens. */
  readonly costPerRequestUsd: number | null;
  /** Of the whole service under test. */
  readonly pricePerHourUsd: number | null;
}

export interface SearchCost {
  readonly seconds: number;
  readonly requests: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Hours and tokens together; `null` without any price. */
  readonly costUsd: number | null;
}

/** The cost of offering `rps` for so long. */
export function searchCost(
  load: { readonly seconds: number; readonly rps: number },
  prices: LoadPrices,
): SearchCost {
  const requests = Math.round(load.rps * load.seconds);
  const inputTokens = times(prices.inputTokensPerRequest, requests);
  const outputTokens = times(prices.outputTokensPerRequest, requests);
  const parts = [
    times(prices.pricePerHourUsd, load.seconds / 3_600),
    times(prices.costPerRequestUsd, requests),
  ].filter((part) => part !== null);
  return {
    seconds: load.seconds,
    requests,
    inputTokens: inputTokens === null ? null : Math.round(inputTokens),
    outputTokens: outputTokens === null ? null : Math.round(outputTokens),
    costUsd: parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0),
  };
}

/**
 * Judged seconds still to measure until half the interval is `wantedShare` of the capacity: its
 * width falls with the root of the time. 0 when it already is.
 */
export function secondsToReach(
  wantedShare: number,
  now: { readonly halfWidthShare: number; readonly measuredSeconds: number },
): number {
  return Math.max(0, now.measuredSeconds * ((now.halfWidthShare / wantedShare) ** 2 - 1));
}

function times(price: number | null, count: number): number | null {
  return price === null ? null : price * count;
}
