/** GuideLLM. Its inter-token latency and time per output token are both means of a request. */
import { NOTHING, type Convention, type LatencyChange } from './convention.ts';
import {
  afterFirst,
  meanNotGaps,
  countOf,
  lacksStream,
  successes,
  wholeRun,
} from './latency-changes.ts';
import { flatLimits, type FlatLimits } from './limits.ts';
import {
  goodputRate,
  greatest,
  requestThroughput,
  spanOf,
  tokenThroughput,
} from './rate-changes.ts';
import type { Sample } from './sample.ts';
import type { SeenRequest } from './seen-request.ts';

/** Answered: a body that ends without end mark is one. */
function isSuccess({ outcome, isTruncated, eventCount }: SeenRequest): boolean {
  return outcome === 'completed' || (isTruncated && eventCount > 0);
}

/** Without usage it takes a chunk for a token. */
function tokensOf({ outputTokens, eventCount }: SeenRequest): number {
  return outputTokens ?? eventCount;
}

/** (last − first) / (tokens − 1) in nanoseconds; `null` below two tokens. */
function interTokenNs(request: SeenRequest): number | null {
  return afterFirst({ ...request, outputTokens: tokensOf(request) }, request.lastNs);
}

function fromHead(
  values: (request: SeenRequest) => number | null,
  what = 'counted',
): LatencyChange {
  return {
    why: (sample) => {
      const opened = countOf(sample, ({ headNs, sentNs }) => headNs > sentNs);
      return `${what} from the first byte of the request: ${opened} of ${sample.sent.length} opened a connection before it`;
    },
    // What was not observed is 0 to it, and counts.
    to: { values: (request) => [values(request) ?? 0] },
  };
}

const THROUGHPUT = {
  spanNs: (sample: Sample) =>
    spanOf(
      sample,
      sample.sent.map(({ headNs }) => headNs),
      sample.sent.map(({ endNs }) => endNs),
    ),
  span: 'from the first request to the last end',
  isSuccess,
};

export const guidellm: Convention = {
  name: 'guidellm',
  title: 'GuideLLM',
  source: {
    repository: 'vllm-project/guidellm',
    version: '0.8.1',
    files: [
      'src/guidellm/schemas/base/request_stats.py',
      'src/guidellm/schemas/base/statistics.py',
      'src/guidellm/benchmark/schemas/metrics.py',
      'src/guidellm/backends/openai/http.py',
    ],
  },
  says: {
    'clock starts': 'at the first byte of the head, after the connection is had (wall clock)',
    TTFT: 'first line with content, reasoning or tool calls; 0 where there is none, and it counts',
    TPOT: 'two: "ITL" (last − first) / (tokens − 1), weighted by tokens − 1; "TPOT" (last − start) / tokens, the wait for the first inside, weighted by tokens',
    gaps: 'not kept',
    'end to end': 'to the end mark and the closing of the stream',
    'output tokens': "the server's usage; else the number of chunks",
    throughput: 'ends of successes or their tokens / the measured window (whole run by default)',
    failures: 'apart: successful, incomplete, errored; the figures are of the successful',
    percentiles: 'nearest rank by weight: the first value at which the weight so far reaches q',
    goodput:
      '`ttft`, `tpot` (its ITL) and `e2el` within limits; failed is a miss, a value not measured leaves the request out of both sides',
    'left out':
      'warm-up and cool-down by share or time; requests that overlap the window count whole',
  },
  latencies: [
    {
      name: 'time_to_first_token_ms',
      against: 'ttft',
      changes: [
        wholeRun,
        fromHead(({ firstNs, headNs }) => (firstNs === null ? null : firstNs - headNs)),
        successes(isSuccess),
      ],
      lacks: lacksStream,
      remark: NOTHING,
    },
    {
      name: 'inter_token_latency_ms',
      against: 'tpot',
      changes: [
        wholeRun,
        {
          why: (sample) => {
            const bundled = countOf(sample, ({ eventCount }) => eventCount === 1);
            return `tokens − 1 divide: 0 for answers in one chunk (${bundled})`;
          },
          to: { values: (request) => [interTokenNs(request) ?? 0] },
        },
        {
          why: () => 'each request weighs as many times as it has tokens after the first',
          to: { weight: (request) => Math.max(0, tokensOf(request) - 1) },
        },
        successes(isSuccess),
      ],
      lacks: lacksStream,
      remark: meanNotGaps,
    },
    {
      name: 'time_per_output_token_ms',
      against: 'tpot',
      changes: [
        wholeRun,
        {
          why: () => 'the wait for the first token is inside, and all tokens divide',
          to: { values: (request) => [perTokenNs(request)] },
        },
        {
          why: () => 'each request weighs as many times as it has tokens',
          to: { weight: tokensOf },
        },
        successes(isSuccess),
      ],
      lacks: lacksStream,
      remark: NOTHING,
    },
    {
      name: 'request_latency',
      against: 'completion',
      changes: [
        wholeRun,
        fromHead(({ doneNs, endNs, headNs }) => (doneNs ?? endNs) - headNs),
        successes(isSuccess),
      ],
      lacks: NOTHING,
      remark: NOTHING,
    },
  ],
  rates: [
    requestThroughput('requests_per_second', THROUGHPUT),
    tokenThroughput('output_tokens_per_second', THROUGHPUT),
    goodputRate('request_goodput', {
      ...THROUGHPUT,
      isGood: (request, limits) => isSuccess(request) && isConforming(request, limits) === true,
    }),
  ],
  isSuccess,
  statements: (sample) => attainmentStatement(sample),
};

/** (last token − start) / tokens, in nanoseconds; 0 without tokens. */
function perTokenNs(request: SeenRequest): number {
  const tokens = tokensOf(request);
  const lastNs = request.lastNs ?? greatest([request.doneNs ?? request.endNs]);
  return tokens === 0 ? 0 : (lastNs - request.headNs) / tokens;
}

/** `null`: a limit is asked of what was not measured, which decides even beside a miss. */
function isConforming(request: SeenRequest, limits: FlatLimits): boolean | null {
  const { firstNs, headNs, doneNs, endNs } = request;
  const measured = [
    [firstNs === null ? null : firstNs - headNs, limits.ttftNs],
    [interTokenNs(request), limits.tpotNs],
    [(doneNs ?? endNs) - headNs, limits.e2eNs],
  ] as const;
  const asked = measured.filter(([, limit]) => limit !== null);
  if (asked.some(([value]) => value === null)) return null;
  return asked.every(([value, limit]) => (value as number) <= (limit as number));
}

function attainmentStatement(sample: Sample): string[] {
  const { limits } = { limits: null, ...flatLimits(sample.objective) };
  if (limits === null) return [];
  const verdicts = sample.sent.filter(isSuccess).map((request) => isConforming(request, limits));
  const good = verdicts.filter((verdict) => verdict === true).length;
  const failed = countOf(
    sample,
    ({ outcome, isTruncated }) => outcome === 'failed' && !isTruncated,
  );
  const determined = verdicts.filter((verdict) => verdict !== null).length + failed;
  const own = sample.summary.attainment;
  return [
    `slo_attainment: ${good} of ${determined}, ${verdicts.length + failed - determined} undetermined left out; goodput: ${own.good} of ${own.offered}`,
  ];
}
