/**
 * The server's part of each request, out of an OTLP/JSON trace export: vLLM's attributes
 * (`--otlp-traces-endpoint`), and what other servers tell by the GenAI conventions.
 */
import { NS_PER_SECOND } from '../../base/index.ts';
import type { ServerSpan } from '../../tracing/index.ts';
import { nanoOf, ns, type OtlpSpan, spansOf, textOf } from './otlp-spans.ts';
import { isObject, numberOf } from './log-values.ts';

/**
 * The spans of one line of an export that tell a time of a request; clients' own spans are left
 * out, for they are of the other side. `null` when the value is no export.
 */
export function serverSpansOf(value: unknown): ServerSpan[] | null {
  if (!isObject(value) || !Array.isArray(value['resourceSpans'])) return null;
  return [...spansOf(value)].filter(isServers).map(read);
}

const CLIENT_KINDS: readonly unknown[] = [3, 'SPAN_KIND_CLIENT'];

function isServers({ span, attributes }: OtlpSpan): boolean {
  if (CLIENT_KINDS.includes(span['kind'])) return false;
  return [...attributes.keys()].some(
    (key) =>
      key.startsWith('gen_ai.latency.') ||
      key === 'gen_ai.server.time_to_first_token' ||
      key === 'gen_ai.response.time_to_first_chunk',
  );
}

function read({ span, attributes, service }: OtlpSpan): ServerSpan {
  const seconds = (...names: string[]): number | null => {
    const told = names.map((name) => attributes.get(name)).find((each) => each !== undefined);
    const duration = ns(told, NS_PER_SECOND);
    // What cannot be read is not told: a join needs no broken rows.
    return duration === null || !Number.isFinite(duration) || duration < 0 ? null : duration;
  };
  const [startNano, endNano] = [nanoOf(span['startTimeUnixNano']), nanoOf(span['endTimeUnixNano'])];
  const tokens = numberOf(
    attributes.get('gen_ai.usage.output_tokens') ??
      attributes.get('gen_ai.usage.completion_tokens'),
  );
  return {
    requestId: textOf(attributes.get('gen_ai.request.id') ?? attributes.get('gen_ai.response.id')),
    traceId: textOf(span['traceId'])?.toLowerCase() ?? null,
    service,
    ttftNs: seconds(
      'gen_ai.latency.time_to_first_token',
      'gen_ai.server.time_to_first_token',
      'gen_ai.response.time_to_first_chunk',
    ),
    queueNs: seconds('gen_ai.latency.time_in_queue'),
    prefillNs: seconds('gen_ai.latency.time_in_model_prefill'),
    decodeNs: seconds('gen_ai.latency.time_in_model_decode'),
    e2eNs:
      seconds('gen_ai.latency.e2e') ??
      (startNano === null || endNano === null ? null : Number(endNano - startNano)),
    outputTokens: tokens === null || !Number.isFinite(tokens) ? null : tokens,
  };
}
