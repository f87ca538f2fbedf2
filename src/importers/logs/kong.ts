/**
 * Kong's log plugins with the statistics of its AI proxy. Its `time_per_token` is the whole latency
 * by the tokens, with the wait for the first token in it: it is compared, never judged.
 */
import { NS_PER_MS } from '../../base/index.ts';
import { NOTHING_LOGGED, type LoggedEnd, type LoggedRequest } from '../../logs/index.ts';
import { derived, measured, type LogFormat } from './log-format.ts';
import {
  durationAt,
  errorOf,
  instantAt,
  isObject,
  labelAt,
  numberAt,
  objectAt,
  textAt,
  type LogObject,
} from './log-values.ts';

export const kongFormat: LogFormat = {
  name: 'kong',
  title: "Kong log with the AI proxy's statistics",
  fields: {
    startUs: measured('started_at, ms'),
    ttftNs: measured('ai.proxy.usage.time_to_first_token, ms; streaming only'),
    e2eNs: measured('latencies.request, ms'),
    promptTokens: measured('ai.proxy.usage.prompt_tokens'),
    outputTokens: measured('ai.proxy.usage.completion_tokens'),
    finishReason: derived('response.status below 400; a cut at max_tokens cannot be seen'),
    httpStatus: measured('response.status'),
    model: measured('ai.proxy.meta.request_model'),
    tenant: measured('consumer.username'),
  },
  recognises: (value) =>
    'started_at' in value && isObject(value['latencies']) && isObject(value['response']),
  // Routes without the AI proxy stand in the same log.
  read: (value) => (isObject(value['ai']) ? [read(value)] : []),
};

function read(row: LogObject): LoggedRequest {
  const proxy = proxyOf(objectAt(row, 'ai'));
  const usage = objectAt(proxy, 'usage');
  const meta = objectAt(proxy, 'meta');
  const request = objectAt(row, 'request');
  const status = numberAt(objectAt(row, 'response'), 'status');
  const end = endOf(status);
  const mode = textAt(meta, 'request_mode');
  // A 429 of Kong's own is a published limit enforced; one from upstream is overload.
  const ownLimit = status === 429 && textAt(row, 'source') === 'kong';
  return {
    ...NOTHING_LOGGED,
    requestId: textAt(request, 'id'),
    startUs: instantAt(row, 'started_at', 1_000),
    ttftNs: mode === 'oneshot' ? null : durationAt(usage, 'time_to_first_token', NS_PER_MS),
    e2eNs: durationAt(objectAt(row, 'latencies'), 'request', NS_PER_MS),
    promptTokens: numberAt(usage, 'prompt_tokens'),
    outputTokens: numberAt(usage, 'completion_tokens'),
    streamed: mode === null ? null : mode === 'stream',
    end,
    failure: end === 'failed' ? 'httpStatus' : null,
    error: end === 'failed' ? errorOf(status, { text: ownLimit ? 'quota' : '' }) : null,
    httpStatus: status,
    finishReason: end === 'completed' ? 'stop' : null,
    model: labelAt(meta, 'request_model') ?? labelAt(meta, 'response_model'),
    tenant: labelAt(objectAt(row, 'consumer'), 'username'),
    clock: 'edge',
    claimedTpotNs: durationAt(usage, 'time_per_token', NS_PER_MS),
  };
}

/** `ai.proxy`, or under the name of the plugin's instance. */
function proxyOf(ai: LogObject): LogObject {
  return (
    Object.values(ai)
      .filter(isObject)
      .find((value) => 'usage' in value) ?? objectAt(ai, 'proxy')
  );
}

/** 499: the client closed before the answer. */
function endOf(status: number | null): LoggedEnd {
  if (status === 499) return 'cancelled';
  return status !== null && status >= 100 && status < 400 ? 'completed' : 'failed';
}
