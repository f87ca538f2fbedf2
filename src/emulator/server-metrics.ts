import { secondsFromNs } from '../base/index.ts';
import type { EngineState, EngineTotals } from '../engine/index.ts';
import { Histogram, numberFamily, type MetricFamily } from '../prometheus/index.ts';
import type { EmulatorOptions } from './emulator-options.ts';

// Edges as vLLM 0.19 has them: dashboards and rules written for it must work here.
const FIRST_TOKEN_EDGES = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
  160, 640, 2_560,
];
const TOKEN_EDGES = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
];
const REQUEST_EDGES = [
  0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1_920, 7_680,
];

const STEP_TOKEN_EDGES = [1, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384];

/** 1, 2, 5, 10, 20, 50 … as far as the model's context goes. */
function lengthEdges(maxTokens: number): readonly number[] {
  const edges: number[] = [];
  for (let decade = 1; decade <= maxTokens; decade *= 10) {
    edges.push(...[1, 2, 5].map((step) => step * decade).filter((edge) => edge <= maxTokens));
  }
  return edges;
}

/** How a request ended, in vLLM's words. */
export type FinishedReason = 'stop' | 'length' | 'abort';

/** One complete answer. Instants of the server's clock, not before one another. */
export interface AnsweredRequest {
  readonly arrivedNs: number;
  /** The first step that computed any of it began. */
  readonly startedNs: number;
  readonly firstTokenNs: number;
  readonly lastTokenNs: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly maxTokens: number;
}

interface HistogramMetric {
  readonly name: string;
  readonly help: string;
  readonly histogram: Histogram;
}

/** The server's own measurements, under vLLM's names. Instants are of one monotonic clock. */
export class ServerMetrics {
  readonly #options: EmulatorOptions;
  readonly #labels: { readonly model_name: string; readonly engine: string };
  readonly #firstToken = histogram(
    'time_to_first_token_seconds',
    'Histogram of time to first token in seconds.',
    FIRST_TOKEN_EDGES,
  );
  readonly #interToken = histogram(
    'inter_token_latency_seconds',
    'Histogram of inter-token latency in seconds.',
    TOKEN_EDGES,
  );
  readonly #perOutputToken = histogram(
    'request_time_per_output_token_seconds',
    'Histogram of time_per_output_token_seconds per request.',
    TOKEN_EDGES,
  );
  readonly #queue = histogram(
    'request_queue_time_seconds',
    'Histogram of time spent in WAITING phase for request.',
    REQUEST_EDGES,
  );
  readonly #endToEnd = histogram(
    'e2e_request_latency_seconds',
    'Histogram of e2e request latency in seconds.',
    REQUEST_EDGES,
  );
  readonly #inference = histogram(
    'request_inference_time_seconds',
    'Histogram of time spent in RUNNING phase for request.',
    REQUEST_EDGES,
  );
  readonly #prefill = histogram(
    'request_prefill_time_seconds',
    'Histogram of time spent in PREFILL phase for request.',
    REQUEST_EDGES,
  );
  readonly #decode = histogram(
    'request_decode_time_seconds',
    'Histogram of time spent in DECODE phase for request.',
    REQUEST_EDGES,
  );
  readonly #stepTokens = histogram(
    'iteration_tokens_total',
    'Histogram of number of tokens per engine_step.',
    STEP_TOKEN_EDGES,
  );
  readonly #lengths: Readonly<Record<'prompt' | 'output' | 'maxTokens', HistogramMetric>>;
  readonly #finished: Record<FinishedReason, number> = { stop: 0, length: 0, abort: 0 };
  #promptTokens = 0;
  #outputTokens = 0;

  constructor(options: EmulatorOptions) {
    this.#options = options;
    this.#labels = { model_name: options.model, engine: '0' };
    const edges = lengthEdges(options.maxModelTokens);
    this.#lengths = {
      prompt: histogram('request_prompt_tokens', 'Number of prefill tokens processed.', edges),
      output: histogram(
        'request_generation_tokens',
        'Number of generation tokens processed.',
        edges,
      ),
      maxTokens: histogram(
        'request_params_max_tokens',
        'Histogram of the max_tokens request parameter.',
        edges,
      ),
    };
  }

  get promptTokens(): number {
    return this.#promptTokens;
  }

  get outputTokens(): number {
    return this.#outputTokens;
  }

  get finished(): Readonly<Record<FinishedReason, number>> {
    return this.#finished;
  }

  started(queueNs: number): void {
    this.#queue.histogram.observe(secondsFromNs(queueNs));
  }

  firstToken(promptTokens: number, sinceArrivalNs: number): void {
    this.#promptTokens += promptTokens;
    this.#outputTokens += 1;
    this.#firstToken.histogram.observe(secondsFromNs(sinceArrivalNs));
  }

  nextToken(gapNs: number): void {
    this.#outputTokens += 1;
    this.#interToken.histogram.observe(secondsFromNs(gapNs));
  }

  answered(reason: 'stop' | 'length', answer: AnsweredRequest): void {
    const { arrivedNs, startedNs, firstTokenNs, lastTokenNs, outputTokens } = answer;
    const observe = ({ histogram: values }: HistogramMetric, fromNs: number, toNs: number): void =>
      values.observe(secondsFromNs(toNs - fromNs));
    this.#finished[reason] += 1;
    observe(this.#endToEnd, arrivedNs, lastTokenNs);
    observe(this.#inference, startedNs, lastTokenNs);
    observe(this.#prefill, startedNs, firstTokenNs);
    observe(this.#decode, firstTokenNs, lastTokenNs);
    if (outputTokens > 1) {
      const perTokenNs = (lastTokenNs - firstTokenNs) / (outputTokens - 1);
      this.#perOutputToken.histogram.observe(secondsFromNs(perTokenNs));
    }
    this.#lengths.prompt.histogram.observe(answer.promptTokens);
    this.#lengths.output.histogram.observe(outputTokens);
    this.#lengths.maxTokens.histogram.observe(answer.maxTokens);
  }

  stepped(computedTokens: number): void {
    this.#stepTokens.histogram.observe(computedTokens);
  }

  aborted(): void {
    this.#finished.abort += 1;
  }

  families(state: EngineState, totals: EngineTotals): readonly MetricFamily[] {
    const labels = this.#labels;
    const one = (type: 'counter' | 'gauge', name: string, help: string, value: number) =>
      numberFamily(type, `vllm:${name}`, help, [{ labels, value }]);
    return [
      one(
        'gauge',
        'num_requests_running',
        'Number of requests in model execution batches.',
        state.running,
      ),
      one(
        'gauge',
        'num_requests_waiting',
        'Number of requests waiting to be processed.',
        state.waiting,
      ),
      ...this.#memoryFamilies(state, totals),
      one(
        'counter',
        'prompt_tokens_total',
        'Number of prefill tokens processed.',
        this.#promptTokens,
      ),
      one(
        'counter',
        'generation_tokens_total',
        'Number of generation tokens processed.',
        this.#outputTokens,
      ),
      numberFamily(
        'counter',
        'vllm:request_success_total',
        'Count of successfully processed requests.',
        Object.entries(this.#finished).map(([reason, value]) => ({
          labels: { ...labels, finished_reason: reason },
          value,
        })),
      ),
      ...[
        this.#firstToken,
        this.#interToken,
        this.#perOutputToken,
        this.#queue,
        this.#inference,
        this.#prefill,
        this.#decode,
        this.#endToEnd,
        this.#stepTokens,
        ...Object.values(this.#lengths),
      ].map(({ name, help, histogram: values }) => ({
        name,
        type: 'histogram' as const,
        help,
        samples: values.samples(name, labels),
      })),
    ];
  }

  /** A server without blocks (a cache) says nothing about their use (hits): none were observed. */
  #memoryFamilies({ usedBlocks }: EngineState, totals: EngineTotals): readonly MetricFamily[] {
    const { kvBlocks, blockTokens, prefixCaching } = this.#options;
    const labels = this.#labels;
    const counter = (name: string, help: string, value: number): MetricFamily =>
      numberFamily('counter', `vllm:${name}`, help, [{ labels, value }]);
    const families = [
      counter(
        'num_preemptions_total',
        'Cumulative number of preemption from the engine.',
        totals.preemptions,
      ),
    ];
    if (kvBlocks === null || usedBlocks === null) return families;
    const config = {
      engine: labels.engine,
      block_size: String(blockTokens),
      num_gpu_blocks: String(kvBlocks),
      enable_prefix_caching: prefixCaching ? 'True' : 'False',
    };
    families.push(
      numberFamily(
        'gauge',
        'vllm:kv_cache_usage_perc',
        'KV-cache usage. 1 means 100 percent usage.',
        [{ labels, value: usedBlocks / kvBlocks }],
      ),
      numberFamily('gauge', 'vllm:cache_config_info', 'Information of the LLMEngine CacheConfig', [
        { labels: config, value: 1 },
      ]),
    );
    if (!prefixCaching) return families;
    families.push(
      counter(
        'prefix_cache_queries_total',
        'Prefix cache queries, in terms of number of queried tokens.',
        totals.prefixQueryTokens,
      ),
      counter(
        'prefix_cache_hits_total',
        'Prefix cache hits, in terms of number of cached tokens.',
        totals.prefixHitTokens,
      ),
    );
    return families;
  }
}

function histogram(name: string, help: string, upperEdges: readonly number[]): HistogramMetric {
  return { name: `vllm:${name}`, help, histogram: new Histogram(upperEdges) };
}
