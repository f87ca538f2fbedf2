/** NVIDIA AIPerf, whose metrics GenAI-Perf's became. */
import type { Convention } from './convention.ts';
import {
  afterFirst,
  meanNotGaps,
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
  areWithin,
  goodputRate,
  requestThroughput,
  spanOf,
  tokenThroughput,
} from './rate-changes.ts';
import type { Sample } from './sample.ts';
import type { SeenRequest } from './seen-request.ts';

/** No error and some content: a body that ends without end mark is no error. */
function isSuccess({ outcome, isTruncated, firstNs }: SeenRequest): boolean {
  return firstNs !== null && (outcome === 'completed' || isTruncated);
}

/** Failed requests do not stretch it, however long they took. */
function spanNs(sample: Sample): number | null {
  const valid = sample.sent.filter(isSuccess);
  return spanOf(
    sample,
    valid.map(({ sentNs }) => sentNs),
    valid.map(({ lastNs, sentNs }) => lastNs ?? sentNs),
  );
}

const THROUGHPUT = {
  spanNs,
  span: 'from the first send to the last output of successes',
  isSuccess,
};

export const aiperf: Convention = {
  name: 'aiperf',
  title: 'AIPerf',
  source: {
    repository: 'ai-dynamo/aiperf',
    version: '0.13.0',
    files: ['src/aiperf/metrics/types', 'src/aiperf/common/models/record_models.py'],
  },
  says: {
    'clock starts': 'when the worker sends, before a connection is had, after the concurrency slot',
    TTFT: 'first chunk with content, reasoning or tool calls',
    TPOT: '"Inter Token Latency": (last content chunk − first) / (tokens − 1), a value per request; with `--per-chunk-usage` less the tokens of the first chunk',
    gaps: '"Inter Chunk Latency": between content chunks, pooled over requests',
    'end to end': '"Request Latency": to the last content chunk',
    'output tokens': "client's tokenizer over the text; the server's usage on request",
    throughput: 'successes or their tokens / (last output of a success − first send of a success)',
    failures: 'left out of every figure and of the time; a body without end mark is a success',
    percentiles: 'linear interpolation (numpy); a t-digest of pooled chunk gaps',
    goodput:
      'successes with every named metric within its limit, a missing one is a miss / the same time; its share is of successes and errors',
    'left out': 'the warm-up phase; requests cancelled when the phase ends have no record',
  },
  latencies: [
    interpolatedLatency(isSuccess, 'Time to First Token', 'ttft', {
      changes: [ttftFromSend, ttftOfAnyKind],
    }),
    interpolatedLatency(isSuccess, 'Inter Token Latency', 'tpot', {
      changes: [tpotByAllTokens],
      lacks: lacksPace,
      remark: meanNotGaps,
    }),
    interpolatedLatency(isSuccess, 'Inter Chunk Latency', 'gap', {
      changes: [gapsOfAnyKind],
      lacks: lacksChunks,
    }),
    interpolatedLatency(isSuccess, 'Request Latency', 'completion', {
      changes: [endsWithLastOutput],
    }),
  ],
  rates: [
    requestThroughput('Request Throughput', THROUGHPUT),
    tokenThroughput('Output Token Throughput', THROUGHPUT),
    goodputRate('Goodput', {
      ...THROUGHPUT,
      isGood: (request, limits) =>
        isSuccess(request) && areWithin(request, afterFirst(request, request.lastNs), limits),
    }),
  ],
  isSuccess,
  statements: () => [],
};
