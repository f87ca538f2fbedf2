/**
 * The names under which engines publish the same things, newest first: a name that a version
 * dropped still reads an older server. All are in the unit of their measure. Names are compared with
 * `:` and `_` alike, because some scrapers and routers rewrite the one as the other.
 */

/** What a server has now. */
export type ServerGauge =
  | 'running'
  | 'waiting'
  | 'kvUsedShare'
  | 'cachedShare'
  | 'draftAcceptedShare'
  | 'tokensPerDraft';

/** Gauges that are means already: of several the mean says something, and their sum nothing. */
export const MEAN_GAUGES: ReadonlySet<ServerGauge> = new Set<ServerGauge>([
  'kvUsedShare',
  'cachedShare',
  'draftAcceptedShare',
  'tokensPerDraft',
]);

/** What a server has done since it started. */
export type ServerCounter =
  | 'finishedRequests'
  | 'promptTokens'
  | 'outputTokens'
  | 'preemptions'
  | 'cacheQueryTokens'
  | 'cachedTokens'
  | 'drafts'
  | 'draftTokens'
  | 'acceptedDraftTokens';

/** Seconds a server took, one value a request; of `tokenGap`, one a token or step. */
export type ServerHistogram = 'ttft' | 'tpot' | 'tokenGap' | 'e2e' | 'queue' | 'prefill' | 'decode';

export type ServerMeasure = ServerGauge | ServerCounter | ServerHistogram;

/** Unit of every name of a measure. Shares are in [0, 1], whatever an engine's name says. */
export const MEASURE_UNITS: Readonly<
  Record<ServerMeasure, 'requests' | 'tokens' | 'share' | 'events' | 'seconds'>
> = {
  running: 'requests',
  waiting: 'requests',
  kvUsedShare: 'share',
  cachedShare: 'share',
  draftAcceptedShare: 'share',
  tokensPerDraft: 'tokens',
  finishedRequests: 'requests',
  promptTokens: 'tokens',
  outputTokens: 'tokens',
  preemptions: 'events',
  cacheQueryTokens: 'tokens',
  cachedTokens: 'tokens',
  drafts: 'events',
  draftTokens: 'tokens',
  acceptedDraftTokens: 'tokens',
  ttft: 'seconds',
  tpot: 'seconds',
  tokenGap: 'seconds',
  e2e: 'seconds',
  queue: 'seconds',
  prefill: 'seconds',
  decode: 'seconds',
};

/** The names of one measure at one engine. */
export interface MetricAlias {
  /** Full names, newest first; the first that a scrape has is read, all its label sets together. */
  readonly names: readonly string[];
  /** Label sets that are something else; `null` = none. */
  readonly without: { readonly label: string; readonly value: string } | null;
  /** In what the figure is not what its measure says; `null` = it is. */
  readonly caveat: string | null;
}

export interface EngineMetrics {
  readonly engine: string;
  readonly gauges: Readonly<Partial<Record<ServerGauge, MetricAlias>>>;
  readonly counters: Readonly<Partial<Record<ServerCounter, MetricAlias>>>;
  readonly histograms: Readonly<Partial<Record<ServerHistogram, MetricAlias>>>;
}

function named(...names: readonly string[]): MetricAlias {
  return { names, without: null, caveat: null };
}

/** Every engine that is known, in the order in which they are tried. */
export const ENGINE_METRICS: readonly EngineMetrics[] = [
  {
    engine: 'vLLM',
    gauges: {
      running: named('vllm:num_requests_running'),
      waiting: named('vllm:num_requests_waiting'),
      // A share, whatever its name says. `gpu_` went with V0, in 0.12.
      kvUsedShare: named('vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'),
      cachedShare: named('vllm:gpu_prefix_cache_hit_rate'),
      // V0 only: since 0.12 what the counters say.
      draftAcceptedShare: named('vllm:spec_decode_draft_acceptance_rate'),
    },
    counters: {
      finishedRequests: {
        ...named('vllm:request_success_total'),
        without: { label: 'finished_reason', value: 'abort' },
      },
      promptTokens: named('vllm:prompt_tokens_total'),
      outputTokens: named('vllm:generation_tokens_total'),
      preemptions: named('vllm:num_preemptions_total'),
      cacheQueryTokens: named(
        'vllm:prefix_cache_queries_total',
        'vllm:gpu_prefix_cache_queries_total',
      ),
      cachedTokens: named('vllm:prefix_cache_hits_total', 'vllm:gpu_prefix_cache_hits_total'),
      drafts: named('vllm:spec_decode_num_drafts_total'),
      draftTokens: named('vllm:spec_decode_num_draft_tokens_total'),
      acceptedDraftTokens: named('vllm:spec_decode_num_accepted_tokens_total'),
    },
    histograms: {
      ttft: named('vllm:time_to_first_token_seconds'),
      tpot: named('vllm:request_time_per_output_token_seconds'),
      // Renamed in 0.11, gone under the old name in 0.13.
      tokenGap: named('vllm:inter_token_latency_seconds', 'vllm:time_per_output_token_seconds'),
      e2e: named('vllm:e2e_request_latency_seconds'),
      queue: named('vllm:request_queue_time_seconds'),
      prefill: named('vllm:request_prefill_time_seconds'),
      decode: named('vllm:request_decode_time_seconds'),
    },
  },
  {
    engine: 'SGLang',
    gauges: {
      running: named('sglang:num_running_reqs'),
      waiting: named('sglang:num_queue_reqs'),
      kvUsedShare: named('sglang:token_usage'),
      cachedShare: named('sglang:cache_hit_rate'),
      draftAcceptedShare: named('sglang:spec_accept_rate'),
      // The token that the model itself adds is counted.
      tokensPerDraft: named('sglang:spec_accept_length'),
    },
    counters: {
      finishedRequests: named('sglang:num_requests_total'),
      promptTokens: named('sglang:prompt_tokens_total'),
      outputTokens: named('sglang:generation_tokens_total'),
      // `num_retracted_reqs` is a gauge of the last batch, not this.
      preemptions: named('sglang:num_retracted_requests_total'),
      cacheQueryTokens: named('sglang:prompt_tokens_total'),
      cachedTokens: named('sglang:cached_tokens_total'),
    },
    histograms: {
      ttft: named('sglang:time_to_first_token_seconds'),
      tokenGap: named('sglang:inter_token_latency_seconds', 'sglang:time_per_output_token_seconds'),
      e2e: named('sglang:e2e_request_latency_seconds'),
      queue: named('sglang:queue_time_seconds'),
    },
  },
  {
    engine: 'TensorRT-LLM',
    gauges: {
      running: named('trtllm_num_requests_running'),
      waiting: named('trtllm_num_requests_waiting'),
      kvUsedShare: named('trtllm_kv_cache_utilization'),
      cachedShare: named('trtllm_kv_cache_hit_rate'),
    },
    counters: {
      finishedRequests: named('trtllm_request_success_total'),
      promptTokens: named('trtllm_prompt_tokens_total'),
      outputTokens: named('trtllm_generation_tokens_total'),
    },
    histograms: {
      ttft: named('trtllm_time_to_first_token_seconds'),
      tpot: named('trtllm_time_per_output_token_seconds'),
      e2e: named('trtllm_e2e_request_latency_seconds'),
      queue: named('trtllm_request_queue_time_seconds'),
      prefill: named('trtllm_request_prefill_time_seconds'),
      decode: named('trtllm_request_decode_time_seconds'),
    },
  },
  {
    engine: 'TGI',
    gauges: { running: named('tgi_batch_current_size'), waiting: named('tgi_queue_size') },
    counters: {
      finishedRequests: named('tgi_request_success'),
      promptTokens: named('tgi_request_input_length_sum'),
      outputTokens: named('tgi_request_generated_tokens_sum'),
    },
    // `tgi_request_mean_time_per_token_duration` has the prefill in it, so it is no TPOT.
    histograms: { e2e: named('tgi_request_duration'), queue: named('tgi_request_queue_duration') },
  },
  {
    engine: 'llama.cpp',
    gauges: {
      running: named('llamacpp:requests_processing'),
      waiting: named('llamacpp:requests_deferred'),
      kvUsedShare: named('llamacpp:kv_cache_usage_ratio'),
    },
    counters: {
      promptTokens: named('llamacpp:prompt_tokens_total'),
      outputTokens: named('llamacpp:tokens_predicted_total'),
      drafts: named('llamacpp:spec_decode_num_drafts_total'),
      draftTokens: named('llamacpp:spec_decode_num_draft_tokens_total'),
      acceptedDraftTokens: named('llamacpp:spec_decode_num_accepted_tokens_total'),
    },
    histograms: {},
  },
  {
    engine: 'Dynamo',
    gauges: {
      running: named('dynamo_frontend_inflight_requests'),
      waiting: {
        ...named('dynamo_frontend_queued_requests'),
        caveat: 'Dynamo counts a request as waiting until its first token, prefill included',
      },
    },
    counters: {
      finishedRequests: named('dynamo_frontend_requests_total'),
      promptTokens: named('dynamo_frontend_input_sequence_tokens_sum'),
      outputTokens: named(
        'dynamo_frontend_output_tokens_total',
        'dynamo_frontend_output_sequence_tokens_sum',
      ),
    },
    histograms: {
      ttft: named('dynamo_frontend_time_to_first_token_seconds'),
      tokenGap: named('dynamo_frontend_inter_token_latency_seconds'),
      e2e: named('dynamo_frontend_request_duration_seconds'),
    },
  },
];

/** A name as names are compared: `vllm:x` and `vllm_x` are one. */
export function comparableName(name: string): string {
  return name.replaceAll(':', '_');
}
