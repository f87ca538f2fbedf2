/** `vllm bench serve`. */
import type { Convention } from './convention.ts';
import {
  afterFirst,
  chunksNotTokens,
  endsWithLastOutput,
  gapsOfAnyKind,
  interpolatedLatency,
  lacksChunks,
  lacksPace,
  tpotByAllTokens,
  ttftFromSend,
  ttftOfAnyKind,
} from './latency-changes.ts';
import {
  firstSendToLastEnd,
  areWithin,
  goodputRate,
  requestThroughput,
  tokenThroughput,
} from './rate-changes.ts';
import type { SeenRequest } from './seen-request.ts';

/** Some output came and the body ended: an error in the stream and a cut answer go unnoticed. */
function isSuccess({ outcome, isTruncated, isStreamError, firstNs }: SeenRequest): boolean {
  return firstNs !== null && (outcome === 'completed' || isTruncated || isStreamError);
}

const THROUGHPUT = {
  spanNs: firstSendToLastEnd,
  span: 'from the first send to the last end',
  isSuccess,
};

export const vllmBench: Convention = {
  name: 'vllm-bench',
  title: 'vLLM bench serve',
  source: {
    repository: 'vllm-project/vllm',
    version: '0.33.0',
    files: ['vllm/benchmarks/serve.py', 'vllm/benchmarks/lib/endpoint_request_func.py'],
  },
  says: {
    'clock starts': 'just before the POST, after waiting for a slot of `--max-concurrency`',
    TTFT: 'first chunk with content, reasoning or tool calls, or with empty content and no role; of completions any chunk with choices',
    TPOT: '(last chunk − first chunk) / (tokens − 1), a value per request; none below 2 tokens',
    gaps: '"ITL": between the chunks that count for TTFT, however many tokens they hold, pooled over requests',
    'end to end': 'to the last chunk that counts for TTFT; usage and end mark come after it',
    'output tokens': 'usage of the event without choices; else the text is tokenised; else 1',
    throughput: 'successes or their tokens / time from start to last end, drain inside',
    failures: 'left out of every figure; an answer cut off, or an error after output, is a success',
    percentiles: 'linear interpolation (numpy); p99 whatever the sample',
    goodput:
      'successes with TTFT, TPOT and E2EL within limits / the same time; TPOT of 1 token is 0; no share',
    'left out': '`--num-warmups` requests, which repeat the first prompt',
  },
  latencies: [
    interpolatedLatency(isSuccess, 'TTFT', 'ttft', { changes: [ttftFromSend, ttftOfAnyKind] }),
    interpolatedLatency(isSuccess, 'TPOT', 'tpot', {
      changes: [tpotByAllTokens],
      lacks: lacksPace,
    }),
    interpolatedLatency(isSuccess, 'ITL', 'gap', {
      changes: [gapsOfAnyKind],
      lacks: lacksChunks,
      remark: chunksNotTokens,
    }),
    interpolatedLatency(isSuccess, 'E2EL', 'completion', { changes: [endsWithLastOutput] }),
  ],
  rates: [
    requestThroughput('Request throughput', THROUGHPUT),
    tokenThroughput('Output token throughput', THROUGHPUT),
    goodputRate('Request goodput', {
      ...THROUGHPUT,
      isGood: (request, limits) =>
        isSuccess(request) && areWithin(request, afterFirst(request, request.lastNs) ?? 0, limits),
    }),
  ],
  isSuccess,
  statements: () => [],
};
