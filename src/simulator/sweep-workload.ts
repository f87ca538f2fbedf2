/** The requests of the document's program, draw for draw. */
import { CpythonRandom } from './cpython-random.ts';
import type { RequestBlock, RequestSource } from './request-block.ts';

const BLOCK_REQUESTS = 8_192;
const PROMPT_LOG_MEAN = Math.log(2_000);
const PROMPT_LOG_DEVIATION = 0.8;
const PROMPT_TOKENS_MAX = 16_000;
const OUTPUT_LOG_MEAN = Math.log(200);
const OUTPUT_LOG_DEVIATION = 0.7;
const OUTPUT_TOKENS_MIN = 2;
const OUTPUT_TOKENS_MAX = 1_500;

export interface SweepWorkload {
  /** Mean arrivals per second of the Poisson process. > 0. */
  readonly offeredRps: number;
  /** Requests arrive until the first one at or after this instant, which is the last. > 0. */
  readonly durationSeconds: number;
  readonly seed: number;
}

/**
 * Poisson arrivals; prompts log-normal around 2,000 tokens (σ 0.8, at most 16,000), answers around
 * 200 (σ 0.7, from 2 to 1,500). The columns are filled again for every block.
 */
export function sweepSource({ offeredRps, durationSeconds, seed }: SweepWorkload): RequestSource {
  const random = new CpythonRandom(seed);
  const arrivalSeconds = new Float64Array(BLOCK_REQUESTS);
  const promptTokens = new Int32Array(BLOCK_REQUESTS);
  const outputTokens = new Int32Array(BLOCK_REQUESTS);
  let nowSeconds = 0;
  return () => {
    let count = 0;
    while (nowSeconds < durationSeconds && count < BLOCK_REQUESTS) {
      nowSeconds += random.expovariate(offeredRps);
      arrivalSeconds[count] = nowSeconds;
      promptTokens[count] = Math.min(
        PROMPT_TOKENS_MAX,
        Math.trunc(random.lognormvariate(PROMPT_LOG_MEAN, PROMPT_LOG_DEVIATION)),
      );
      outputTokens[count] = Math.max(
        OUTPUT_TOKENS_MIN,
        Math.min(
          OUTPUT_TOKENS_MAX,
          Math.trunc(random.lognormvariate(OUTPUT_LOG_MEAN, OUTPUT_LOG_DEVIATION)),
        ),
      );
      count += 1;
    }
    return count === 0 ? null : { count, arrivalSeconds, promptTokens, outputTokens };
  };
}

/** A whole workload in one block, for runs that use it more than once. */
export function collectRequests(source: RequestSource): RequestBlock {
  const arrivals: number[] = [];
  const prompts: number[] = [];
  const outputs: number[] = [];
  for (let block = source(); block !== null; block = source()) {
    for (let at = 0; at < block.count; at += 1) {
      arrivals.push(block.arrivalSeconds[at] as number);
      prompts.push(block.promptTokens[at] as number);
      outputs.push(block.outputTokens[at] as number);
    }
  }
  return {
    count: arrivals.length,
    arrivalSeconds: Float64Array.from(arrivals),
    promptTokens: Int32Array.from(prompts),
    outputTokens: Int32Array.from(outputs),
  };
}
