/** genai-bench, of the SGLang project. */
import { NOTHING, type Convention } from './convention.ts';
import {
  countOf,
  interpolatedLatency,
  lacksPace,
  lacksStream,
  linearPercentiles,
  since,
  successes,
  ttftFromSend,
  wholeRun,
} from './latency-changes.ts';
import { oneOrNone } from './own-figures.ts';
import { firstSendToLastEnd, requestThroughput, tokenThroughput } from './rate-changes.ts';
import type { SeenRequest } from './seen-request.ts';

/** Text came: tool calls are none to it. A body that ends without end mark is no error. */
function isSuccess({ outcome, isTruncated, firstTextNs }: SeenRequest): boolean {
  return firstTextNs !== null && (outcome === 'completed' || isTruncated);
}

/** It stops reading at the event with the usage, else at the end mark. */
function endNs({ usageAtNs, doneNs, endNs: lastSeenNs }: SeenRequest): number {
  return usageAtNs ?? doneNs ?? lastSeenNs;
}

/** What came faster after the first token it takes for a fault of measurement. */
const LEAST_OUTPUT_NS = 1_000_000;

function tpotNs(request: SeenRequest): number | null {
  const { firstTextNs, outputTokens } = request;
  if (firstTextNs === null || outputTokens === null || outputTokens < 2) return null;
  const outputNs = endNs(request) - firstTextNs;
  return outputNs < LEAST_OUTPUT_NS ? null : outputNs / (outputTokens - 1);
}

const THROUGHPUT = {
  spanNs: firstSendToLastEnd,
  span: 'from the first send to the last end',
  isSuccess,
};

export const genaiBench: Convention = {
  name: 'genai-bench',
  title: 'genai-bench',
  source: {
    repository: 'sgl-project/genai-bench',
    version: '0.0.5',
    files: [
      'genai_bench/metrics/request_metrics_collector.py',
      'genai_bench/metrics/aggregated_metrics_collector.py',
      'genai_bench/user/openai_user.py',
    ],
  },
  says: {
    'clock starts': 'just before the POST, which opens a connection of its own',
    TTFT: 'first chunk with content or reasoning; tool calls are none',
    TPOT: '(event with the usage − first chunk) / (tokens − 1), a value per request; none where that time is below 1 ms',
    gaps: 'not kept',
    'end to end': 'to the event with the usage, else to the end mark',
    'output tokens': "the server's usage; else its tokenizer over the text",
    throughput: 'successes or their tokens / time of the run, warm-up and cool-down inside',
    failures: 'left out of every figure; an answer cut off is a success',
    percentiles: 'linear interpolation (numpy)',
    goodput: 'none',
    'left out':
      'a share of the first and last answers by order of arrival, when asked; requests in flight at the end of the run',
  },
  latencies: [
    {
      name: 'ttft',
      against: 'ttft',
      changes: [
        wholeRun,
        ttftFromSend,
        successes(isSuccess),
        {
          why: () => 'counted to the first text or reasoning',
          to: { values: (request) => since(request.sentNs, request.firstTextNs) },
        },
        linearPercentiles,
      ],
      lacks: lacksStream,
      remark: NOTHING,
    },
    interpolatedLatency(isSuccess, 'tpot', 'tpot', {
      changes: [
        {
          why: (sample) => {
            const bundled = countOf(
              sample,
              (request) => request.own.tpotNs === null && tpotNs(request) !== null,
            );
            return `the wait for the usage is inside, and tokens − 1 divide; answers in one chunk have a pace (${bundled})`;
          },
          to: { values: (request) => oneOrNone(tpotNs(request)) },
        },
      ],
      lacks: lacksPace,
    }),
    interpolatedLatency(isSuccess, 'e2e_latency', 'completion', {
      changes: [
        {
          why: () => 'ends with the usage, before the end mark',
          to: { values: (request) => [endNs(request) - request.sentNs] },
        },
      ],
    }),
  ],
  rates: [
    requestThroughput('requests_per_second', THROUGHPUT),
    tokenThroughput('mean_output_throughput_tokens_per_s', THROUGHPUT),
  ],
  isSuccess,
  statements: (sample) => {
    const failed = sample.sent.length - countOf(sample, isSuccess);
    return failed === 0
      ? []
      : [
          `error_rate: 0 for ${failed} of ${sample.sent.length}: this version divides before it has counted its requests`,
        ];
  },
};
