/** Per-request results of other load generators, each by its own names and units. */
import { NS_PER_MS, NS_PER_SECOND } from '../../base/index.ts';
import { NOTHING_LOGGED, type LoggedRequest } from '../../logs/index.ts';
import { derived, measured, type LogFormat } from './log-format.ts';
import {
  between,
  durationAt,
  errorOf,
  instantAt,
  isObject,
  labelAt,
  numberAt,
  numberOf,
  objectAt,
  textAt,
  type LogObject,
} from './log-values.ts';

const FIXED_LENGTH = derived(
  'not recorded: the benchmark sets answer lengths, success is taken as finished',
);

/** Numbers of a column; `[]` when it is none. */
function column(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** AIPerf's `profile_export.jsonl`: every chunk gap of every request. */
export const aiperfFormat: LogFormat = {
  name: 'aiperf',
  title: 'AIPerf per-request export',
  fields: {
    startUs: measured('metadata.request_start_ns'),
    ttftNs: measured('time_to_first_token'),
    e2eNs: measured('request_latency'),
    gapsNs: measured('inter_chunk_latency'),
    promptTokens: measured('input_sequence_length'),
    outputTokens: measured('output_sequence_length'),
    finishReason: FIXED_LENGTH,
  },
  recognises: (value) => 'request_start_ns' in objectAt(value, 'metadata'),
  read(row) {
    const metadata = objectAt(row, 'metadata');
    if (textAt(metadata, 'benchmark_phase') === 'warmup') return [];
    const metrics = objectAt(row, 'metrics');
    const ms = (name: string): number | null =>
      durationAt(objectAt(metrics, name), 'value', NS_PER_MS);
    const gaps = objectAt(metrics, 'inter_chunk_latency')['value'];
    const failed = isObject(row['error']);
    const cancelled = metadata['was_cancelled'] === true;
    return [
      {
        ...NOTHING_LOGGED,
        requestId: textAt(metadata, 'x_request_id'),
        startUs: instantAt(metadata, 'request_start_ns', 1e-3),
        ttftNs: ms('time_to_first_token'),
        e2eNs: ms('request_latency'),
        gapsNs: Array.isArray(gaps) ? gaps.map((gap) => Math.round(Number(gap) * NS_PER_MS)) : null,
        promptTokens: numberAt(objectAt(metrics, 'input_sequence_length'), 'value'),
        outputTokens: numberAt(objectAt(metrics, 'output_sequence_length'), 'value'),
        ...endOf({ failed, cancelled }, objectAt(row, 'error')),
        clock: 'client',
        claimedTpotNs: ms('inter_token_latency'),
      },
    ];
  },
};

/** LLMPerf's individual responses. No time stamps. Its ITL includes the wait for the first token. */
export const llmperfFormat: LogFormat = {
  name: 'llmperf',
  title: 'LLMPerf individual responses',
  fields: {
    ttftNs: measured('ttft_s'),
    e2eNs: measured('end_to_end_latency_s'),
    promptTokens: measured('number_input_tokens'),
    outputTokens: measured('number_output_tokens'),
    finishReason: FIXED_LENGTH,
  },
  recognises: (value) => 'ttft_s' in value && 'end_to_end_latency_s' in value,
  read(row) {
    const failed = numberAt(row, 'error_code') !== null;
    return [
      {
        ...NOTHING_LOGGED,
        ttftNs: durationAt(row, 'ttft_s', NS_PER_SECOND),
        e2eNs: durationAt(row, 'end_to_end_latency_s', NS_PER_SECOND),
        promptTokens: numberAt(row, 'number_input_tokens'),
        outputTokens: numberAt(row, 'number_output_tokens'),
        ...endOf({ failed, cancelled: false }, {}),
        clock: 'client',
        claimedTpotNs: durationAt(row, 'inter_token_latency_s', NS_PER_SECOND),
      },
    ];
  },
};

/** `vllm bench serve --save-result --save-detailed`: one document of columns, in seconds. */
export const vllmBenchFormat: LogFormat = {
  name: 'vllm-bench',
  title: 'vLLM bench serve, detailed result',
  fields: {
    startUs: measured('start_times; on the monotonic clock of the client'),
    ttftNs: measured('ttfts'),
    e2eNs: derived('ttfts + sum of itls'),
    gapsNs: measured('itls'),
    promptTokens: measured('input_lens'),
    outputTokens: measured('output_lens'),
    finishReason: FIXED_LENGTH,
    model: measured('model_id'),
  },
  recognises: (value) => Array.isArray(value['ttfts']) && Array.isArray(value['output_lens']),
  read(document) {
    const itls = column(document['itls']);
    const errors = column(document['errors']);
    const starts = column(document['start_times']);
    return column(document['ttfts']).map((ttft, at): LoggedRequest => {
      const ttftNs = nsOf(ttft);
      const gapsNs = column(itls[at]).map((gap) => nsOf(gap) ?? Number.NaN);
      const failed = typeof errors[at] === 'string' && errors[at] !== '';
      return {
        ...NOTHING_LOGGED,
        startUs: scaled(starts[at], 1e6),
        ttftNs,
        e2eNs: ttftNs === null ? null : gapsNs.reduce((sum, gap) => sum + gap, ttftNs),
        gapsNs,
        promptTokens: numberOf(column(document['input_lens'])[at]),
        outputTokens: numberOf(column(document['output_lens'])[at]),
        ...endOf({ failed, cancelled: false }, {}),
        model: labelAt(document, 'model_id'),
        clock: 'client',
      };
    });
  },
};

/** GuideLLM's report. Its "time per output token" is latency / tokens: it includes the TTFT. */
export const guidellmFormat: LogFormat = {
  name: 'guidellm',
  title: 'GuideLLM report',
  fields: {
    startUs: measured('request_start_time (older: start_time)'),
    ttftNs: measured('time_to_first_token_ms'),
    e2eNs: measured('request_latency, or end − start'),
    promptTokens: measured('prompt_tokens'),
    outputTokens: measured('output_tokens'),
    finishReason: FIXED_LENGTH,
  },
  recognises: (value) =>
    column(value['benchmarks']).some((one) => isObject(one) && isObject(one['requests'])),
  read: (report) =>
    column(report['benchmarks'])
      .filter(isObject)
      .flatMap((benchmark) =>
        (['successful', 'incomplete', 'errored'] as const).flatMap((state) =>
          column(objectAt(benchmark, 'requests')[state])
            .filter(isObject)
            .map((row) => guidellmRow(row, state)),
        ),
      ),
};

function guidellmRow(
  row: LogObject,
  state: 'successful' | 'incomplete' | 'errored',
): LoggedRequest {
  const startUs = instantAt(row, 'request_start_time') ?? instantAt(row, 'start_time');
  const endUs = instantAt(row, 'request_end_time') ?? instantAt(row, 'end_time');
  return {
    ...NOTHING_LOGGED,
    requestId: textAt(row, 'request_id'),
    startUs,
    ttftNs: durationAt(row, 'time_to_first_token_ms', NS_PER_MS),
    e2eNs: durationAt(row, 'request_latency', NS_PER_SECOND) ?? between(startUs, endUs),
    promptTokens: numberAt(row, 'prompt_tokens'),
    outputTokens: numberAt(row, 'output_tokens'),
    ...endOf({ failed: state === 'errored', cancelled: state === 'incomplete' }, {}),
    clock: 'client',
    claimedTpotNs: durationAt(row, 'time_per_output_token_ms', NS_PER_MS),
  };
}

/**
 * inference-perf: `per_request_lifecycle_metrics.json`. The stamps of its tokens are those of
 * stream lines; builds that stamped blank lines too have twice as many, and half the gap.
 */
export const inferencePerfFormat: LogFormat = {
  name: 'inference-perf',
  title: 'inference-perf per-request report',
  fields: {
    startUs: measured('start_time; on the monotonic clock of the client'),
    ttftNs: derived('output_token_times[0] − start_time'),
    e2eNs: derived('end_time − start_time'),
    promptTokens: measured('info.input_tokens'),
    outputTokens: measured('info.output_tokens'),
    finishReason: FIXED_LENGTH,
  },
  recognises: (value) => 'start_time' in value && 'input_tokens' in objectAt(value, 'info'),
  read(row) {
    const info = objectAt(row, 'info');
    const response = objectAt(info, 'response_metrics');
    const told = 'output_token_times' in response ? response : info;
    const times = column(told['output_token_times']).map(Number);
    const startUs = instantAt(row, 'start_time');
    const first = times[0];
    const last = times.at(-1);
    return [
      {
        ...NOTHING_LOGGED,
        startUs,
        ttftNs: first === undefined ? null : between(startUs, Math.round(first * 1e6)),
        e2eNs: between(startUs, instantAt(row, 'end_time')),
        promptTokens: numberAt(info, 'input_tokens'),
        outputTokens: numberAt(told, 'output_tokens') ?? numberAt(info, 'output_tokens'),
        ...endOf({ failed: isObject(row['error']), cancelled: false }, objectAt(row, 'error')),
        clock: 'client',
        claimedTpotNs:
          first === undefined || last === undefined || times.length < 2
            ? null
            : Math.round(((last - first) / (times.length - 1)) * NS_PER_SECOND),
      },
    ];
  },
};

function endOf(
  { failed, cancelled }: { readonly failed: boolean; readonly cancelled: boolean },
  error: LogObject,
): Partial<LoggedRequest> {
  if (cancelled) return { end: 'cancelled' };
  if (!failed) return { finishReason: 'stop' };
  const status = numberOf(error['code']);
  const type = error['type'] ?? error['error_type'];
  return {
    end: 'failed',
    failure: 'serverError',
    error: errorOf(status, { type }),
    httpStatus: status,
  };
}

function scaled(value: unknown, unit: number): number | null {
  const number = numberOf(value);
  return number === null ? null : Math.round(number * unit);
}

function nsOf(seconds: unknown): number | null {
  return scaled(seconds, NS_PER_SECOND);
}
