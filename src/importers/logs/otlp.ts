/**
 * OTLP/JSON trace exports (one ExportTraceServiceRequest a line): GenAI names old and new,
 * OpenInference, vLLM's own attributes, Vercel AI SDK, Langfuse.
 */
import { NS_PER_MS, NS_PER_SECOND } from '../../base/index.ts';
import { NOTHING_LOGGED, type LoggedRequest } from '../../logs/index.ts';
import { derived, measured, type LogFormat } from './log-format.ts';
import { type OtlpSpan, nanoOf, ns, objects, spansOf, textOf } from './otlp-spans.ts';
import { errorOf, finishOf, instantAt, isObject, numberOf, type LogObject } from './log-values.ts';

export const otlpFormat: LogFormat = {
  name: 'otlp',
  title: 'OTLP JSON traces',
  fields: {
    startUs: measured('startTimeUnixNano'),
    ttftNs: measured(
      'gen_ai.response.time_to_first_chunk, gen_ai.latency.time_to_first_token, ' +
        'ai.response.msToFirstChunk, or the event First Token Stream Event',
    ),
    e2eNs: measured('endTimeUnixNano'),
    promptTokens: measured(
      'gen_ai.usage.input_tokens (older: prompt_tokens), llm.token_count.prompt',
    ),
    outputTokens: measured(
      'gen_ai.usage.output_tokens (older: completion_tokens), llm.token_count.completion',
    ),
    finishReason: derived('gen_ai.response.finish_reasons; else span status is not an error'),
    httpStatus: measured('http.response.status_code'),
    model: measured('gen_ai.response.model'),
  },
  recognises: (value) => Array.isArray(value['resourceSpans']),
  read: (value) => [...spansOf(value)].filter(isLlmSpan).map(read),
};

function isLlmSpan({ attributes }: OtlpSpan): boolean {
  if (attributes.get('openinference.span.kind') === 'LLM') return true;
  return [...attributes.keys()].some(
    (key) =>
      key.startsWith('gen_ai.usage.') ||
      key.startsWith('gen_ai.latency.') ||
      key === 'gen_ai.request.model' ||
      key.startsWith('llm.token_count.'),
  );
}

function read({ span, attributes }: OtlpSpan): LoggedRequest {
  const startNano = nanoOf(span['startTimeUnixNano']);
  const endNano = nanoOf(span['endTimeUnixNano']);
  const told = (...keys: string[]): unknown =>
    keys.map((key) => attributes.get(key)).find((value) => value !== undefined);
  const status = numberOf(told('http.response.status_code', 'http.status_code'));
  const failed = isError(span['status']);
  const finish = told(
    'gen_ai.response.finish_reasons',
    'llm.finish_reason',
    'ai.response.finishReason',
  );
  return {
    ...NOTHING_LOGGED,
    requestId: textOf(told('gen_ai.response.id', 'gen_ai.request.id') ?? span['spanId']),
    startUs: startNano === null ? Number.NaN : Number(startNano / 1_000n),
    ttftNs: ttftOf(span, told, startNano),
    e2eNs: startNano === null || endNano === null ? null : Number(endNano - startNano),
    promptTokens: numberOf(
      told('gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.token_count.prompt'),
    ),
    outputTokens: numberOf(
      told(
        'gen_ai.usage.output_tokens',
        'gen_ai.usage.completion_tokens',
        'llm.token_count.completion',
      ),
    ),
    reasoningTokens: numberOf(told('gen_ai.usage.reasoning.output_tokens')),
    cachedPromptTokens: numberOf(told('gen_ai.usage.cache_read.input_tokens')),
    streamed: boolOf(told('gen_ai.request.stream', 'llm.is_streaming')),
    queueNs: ns(told('gen_ai.latency.time_in_queue'), NS_PER_SECOND),
    httpStatus: status,
    ...(failed
      ? {
          end: 'failed',
          failure: 'serverError',
          error: errorOf(status, { type: told('error.type', 'exception.type') }),
        }
      : { finishReason: finishOf(Array.isArray(finish) ? finish[0] : finish) ?? 'stop' }),
    model: textOf(told('gen_ai.response.model', 'gen_ai.request.model', 'llm.model_name')),
    tenant: textOf(told('tenant', 'enduser.id', 'user.id')),
    session: textOf(told('gen_ai.conversation.id', 'session.id')),
    clock: span['kind'] === 2 || span['kind'] === 'SPAN_KIND_SERVER' ? 'server' : 'client',
  };
}

function ttftOf(
  span: LogObject,
  told: (...keys: string[]) => unknown,
  startNano: bigint | null,
): number | null {
  const seconds = told(
    'gen_ai.response.time_to_first_chunk',
    'gen_ai.server.time_to_first_token',
    'gen_ai.latency.time_to_first_token',
  );
  if (seconds !== undefined) return ns(seconds, NS_PER_SECOND);
  const ms = told('ai.response.msToFirstChunk');
  if (ms !== undefined) return ns(ms, NS_PER_MS);
  if (startNano === null) return null;
  const first = objects(span['events']).find(
    (event) => event['name'] === 'First Token Stream Event',
  );
  const firstNano = first === undefined ? null : nanoOf(first['timeUnixNano']);
  if (firstNano !== null) return Number(firstNano - startNano);
  const stamp = textOf(told('langfuse.observation.completion_start_time'))?.replaceAll('"', '');
  if (stamp === undefined || stamp === null) return null;
  const atUs = instantAt({ stamp }, 'stamp');
  return atUs === null ? null : (atUs - Number(startNano / 1_000n)) * 1e3;
}

function isError(status: unknown): boolean {
  if (!isObject(status)) return false;
  return status['code'] === 2 || status['code'] === 'STATUS_CODE_ERROR';
}

function boolOf(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}
