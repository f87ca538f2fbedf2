/** The load that a client is to be tried under, from what is planned for the run. */
import { assert, secondsFromNs } from '../base/index.ts';
import type { ClientLoad } from '../record/index.ts';
import type { Schedule } from '../workload/index.ts';

/** Steady streams: requests begin at a rate, and each answer is read for as long as it lasts. */
export interface PlannedLoad extends ClientLoad {
  /** Output events per second of one stream. */
  readonly tokensPerSecond: number;
  readonly promptTokens: number;
  /** Of every answer: streams × tokens per second / starts per second. ≥ 1. */
  readonly outputTokens: number;
  /** Whether all streams send at the same instant, as those of one engine step do. */
  readonly burst: boolean;
}

/** What a load point offers, as far as it is known before it runs. `null` = not known. */
export interface OfferedLoad {
  /** Requests per second of an open loop; `null` of a closed one, which follows the server. */
  readonly startsRps: number | null;
  /** Streams of a closed loop. */
  readonly streams: number | null;
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
}

/** What is to be tried that the plan of a run does not say. */
export interface LoadWish {
  /** `null` = as many as the plan makes likely. */
  readonly streams: number | null;
  readonly tokensPerSecond: number;
  readonly burst: boolean;
}

/** Of runs that say nothing of their lengths. */
const DEFAULT_TOKENS = 256;

/** What a schedule offers; lengths are means over the requests that tell theirs. */
export function offeredBy(
  { requests, stopNs, slots }: Schedule,
  closedLoopStreams: number | null,
): OfferedLoad {
  const streams = slots ?? closedLoopStreams;
  return {
    startsRps: streams === null ? requests.length / secondsFromNs(stopNs) : null,
    streams,
    promptTokens: meanOf(requests.map(({ promptTokens }) => promptTokens)),
    outputTokens: meanOf(requests.map(({ outputTokensMax }) => outputTokensMax)),
  };
}

/**
 * The load that has these streams, at this rate of tokens, at this rate of starts. What is not said
 * follows from the rest: streams = starts per second × time of an answer.
 */
export function plannedLoad(offered: OfferedLoad, wish: LoadWish): PlannedLoad {
  const { tokensPerSecond, burst } = wish;
  assert(tokensPerSecond > 0, 'a stream without tokens has no stamps');
  const outputTokens = offered.outputTokens ?? DEFAULT_TOKENS;
  const answerSeconds = outputTokens / tokensPerSecond;
  const streamCount = Math.max(
    1,
    Math.ceil(wish.streams ?? offered.streams ?? (offered.startsRps ?? 0) * answerSeconds),
  );
  const startsRps = offered.startsRps ?? streamCount / answerSeconds;
  return {
    streamCount,
    startsRps,
    chunksRps: streamCount * tokensPerSecond,
    tokensPerSecond,
    promptTokens: Math.max(1, Math.round(offered.promptTokens ?? DEFAULT_TOKENS)),
    outputTokens: Math.max(1, Math.round((streamCount * tokensPerSecond) / startsRps)),
    burst,
  };
}

/**
 * Streams that there may be at once: arrivals are random, so their number varies by about its root,
 * and answers are as long as planned.
 */
export function mostStreams({ streamCount }: Pick<PlannedLoad, 'streamCount'>): number {
  return Math.ceil(streamCount + 6 * Math.sqrt(streamCount)) + SPARE_STREAMS;
}

const SPARE_STREAMS = 32;

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
