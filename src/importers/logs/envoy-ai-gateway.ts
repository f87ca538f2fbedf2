/**
 * Envoy AI Gateway's JSON access log. Its keys are the operator's choice: these are the documented
 * ones with the first-token latency added; for others write a mapping.
 */
import { NS_PER_MS } from '../../base/index.ts';
import { NOTHING_LOGGED, type LoggedEnd, type LoggedRequest } from '../../logs/index.ts';
import { derived, measured, type LogFormat } from './log-format.ts';
import {
  durationAt,
  errorOf,
  instantAt,
  labelAt,
  numberAt,
  textAt,
  type LogObject,
} from './log-values.ts';

export const envoyFormat: LogFormat = {
  name: 'envoy',
  title: 'Envoy AI Gateway access log',
  fields: {
    startUs: measured('start_time'),
    ttftNs: measured('token_latency_ttft, ms; streaming only'),
    e2eNs: measured('duration, ms'),
    promptTokens: measured('gen_ai.usage.input_tokens'),
    outputTokens: measured('gen_ai.usage.output_tokens'),
    finishReason: derived('response code 200 without a flag; a cut at max_tokens cannot be seen'),
    httpStatus: measured('response_code'),
    model: measured('gen_ai.request.model'),
  },
  recognises: (value) => 'start_time' in value && 'response_code' in value && 'duration' in value,
  read: (value) => [read(value)],
};

function read(row: LogObject): LoggedRequest {
  const status = numberAt(row, 'response_code');
  const flags = textAt(row, 'response_flags') ?? '';
  const end = endOf(status, flags);
  const ok = end === 'completed';
  return {
    ...NOTHING_LOGGED,
    requestId: textAt(row, 'x-request-id') ?? textAt(row, 'request_id'),
    startUs: instantAt(row, 'start_time'),
    ttftNs: durationAt(row, 'token_latency_ttft', NS_PER_MS),
    e2eNs: durationAt(row, 'duration', NS_PER_MS),
    promptTokens: numberAt(row, 'gen_ai.usage.input_tokens'),
    outputTokens: numberAt(row, 'gen_ai.usage.output_tokens'),
    end,
    failure: end === 'failed' ? (flags === '' ? 'httpStatus' : 'socket') : null,
    // The gateway's own rate limit is a published limit enforced; overload (UO) is not.
    error: end === 'failed' ? errorOf(status, { text: flags.includes('RL') ? 'quota' : '' }) : null,
    httpStatus: status,
    finishReason: ok ? 'stop' : null,
    model: labelAt(row, 'gen_ai.response.model') ?? labelAt(row, 'gen_ai.request.model'),
    tenant: labelAt(row, 'x-tenant'),
    clock: 'edge',
    claimedTpotNs: durationAt(row, 'token_latency_itl', NS_PER_MS),
  };
}

function endOf(status: number | null, flags: string): LoggedEnd {
  if (status === 0 || flags.includes('DC')) return 'cancelled';
  if (flags.includes('UT') || flags.includes('SI')) return 'timedOut';
  if (status !== null && status >= 400) return 'failed';
  return /UC|UF|NR|UH|UO|RL/.test(flags) ? 'failed' : 'completed';
}
