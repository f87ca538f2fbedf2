/** LLMPerf, whose leaderboard is still quoted. No longer developed. */
import { NOTHING, type Convention } from './convention.ts';
import {
  meanNotGaps,
  interpolatedLatency,
  lacksPace,
  since,
  ttftFromSend,
} from './latency-changes.ts';
import { oneOrNone } from './own-figures.ts';
import { firstSendToLastEnd, requestThroughput, tokenThroughput } from './rate-changes.ts';
import type { SeenRequest } from './seen-request.ts';

/** The body ended and no event held an error. */
function isSuccess({ outcome, isTruncated }: SeenRequest): boolean {
  return outcome === 'completed' || isTruncated;
}

/** The wait for the first token is among the "gaps" that are summed. */
function interTokenNs({ lastAnswerNs, sentNs, outputTokens }: SeenRequest): number | null {
  if (lastAnswerNs === null || outputTokens === null || outputTokens === 0) return null;
  return (lastAnswerNs - sentNs) / outputTokens;
}

const THROUGHPUT = {
  spanNs: firstSendToLastEnd,
  span: 'from the first send to the last end',
  isSuccess,
};

export const llmperf: Convention = {
  name: 'llmperf',
  title: 'LLMPerf',
  source: {
    repository: 'ray-project/llmperf',
    version: 'f1d6bed (main, 2024-12)',
    files: ['token_benchmark_ray.py', 'src/llmperf/ray_clients/openai_chat_completions_client.py'],
  },
  says: {
    'clock starts': 'just before the POST',
    TTFT: 'first chunk with content; reasoning is none',
    TPOT: '"inter_token_latency": (last content chunk − start) / tokens, the wait for the first token inside, a value per request',
    gaps: 'summed and not kept',
    'end to end': 'to the end of the body',
    'output tokens': "one Llama tokenizer over every model's text",
    throughput: 'tokens of successes / time of the whole test; requests per minute alike',
    failures: 'left out of every figure; an answer cut off is a success',
    percentiles: 'linear interpolation (pandas)',
    goodput: 'none',
    'left out': 'nothing: the first requests count',
  },
  latencies: [
    interpolatedLatency(isSuccess, 'ttft_s', 'ttft', {
      changes: [
        ttftFromSend,
        {
          why: () => 'counted to the first chunk of the answer itself',
          to: { values: (request) => since(request.sentNs, request.firstAnswerNs) },
        },
      ],
    }),
    interpolatedLatency(isSuccess, 'inter_token_latency_s', 'tpot', {
      changes: [
        {
          why: () => 'the wait for the first token is inside, and all tokens divide',
          to: { values: (request) => oneOrNone(interTokenNs(request)) },
        },
      ],
      lacks: lacksPace,
      remark: meanNotGaps,
    }),
    interpolatedLatency(isSuccess, 'end_to_end_latency_s', 'completion', {
      changes: [
        {
          why: () => 'an answer cut off has its end too',
          to: { values: (request) => since(request.sentNs, request.doneNs ?? request.endNs) },
        },
      ],
      lacks: NOTHING,
    }),
  ],
  rates: [
    requestThroughput('num_completed_requests / time', THROUGHPUT),
    tokenThroughput('mean_output_throughput_token_per_s', THROUGHPUT),
  ],
  isSuccess,
  statements: () => [],
};
