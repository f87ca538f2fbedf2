/**
 * LiteLLM: rows of `LiteLLM_SpendLogs` (JSON or CSV export) and the callback's
 * StandardLoggingPayload. A missing first-token time is written as the end time there, so the two
 * being equal means unknown (litellm#8999, #25598, #35958).
 */
import { NS_PER_MS } from '../../base/index.ts';
import { NOTHING_LOGGED, type LoggedRequest } from '../../logs/index.ts';
import { derived, measured, type LogFormat } from './log-format.ts';
import {
  between,
  durationAt,
  errorOf,
  finishOf,
  instantAt,
  labelAt,
  numberAt,
  numberOf,
  objectAt,
  textAt,
  type LogObject,
} from './log-values.ts';

export const litellmFormat: LogFormat = {
  name: 'litellm',
  title: 'LiteLLM spend log or callback',
  fields: {
    startUs: measured('startTime'),
    ttftNs: measured('completionStartTime; equal to endTime = unknown'),
    e2eNs: measured('endTime'),
    promptTokens: measured('prompt_tokens'),
    outputTokens: measured('completion_tokens'),
    finishReason: derived('status success; a cut at max_tokens cannot be seen'),
    httpStatus: derived('status, error_information.error_code'),
    model: measured('model'),
    tenant: measured('team_id'),
  },
  recognises: (value) =>
    'startTime' in value &&
    'endTime' in value &&
    ('call_type' in value || 'completionStartTime' in value),
  read: (value) => [read(value)],
};

function read(row: LogObject): LoggedRequest {
  const startUs = instantAt(row, 'startTime');
  const endUs = instantAt(row, 'endTime');
  const firstUs = instantAt(row, 'completionStartTime');
  const failed = textAt(row, 'status') === 'failure';
  const stamped = firstUs !== null && firstUs === endUs;
  const e2eNs = between(startUs, endUs) ?? durationAt(row, 'request_duration_ms', NS_PER_MS);
  const request: LoggedRequest = {
    ...NOTHING_LOGGED,
    requestId: textAt(row, 'request_id') ?? textAt(row, 'id'),
    logicalRequestId: textAt(row, 'trace_id'),
    startUs,
    ttftNs: stamped ? null : between(startUs, firstUs),
    e2eNs,
    promptTokens: numberAt(row, 'prompt_tokens'),
    outputTokens: numberAt(row, 'completion_tokens'),
    streamed: typeof row['stream'] === 'boolean' ? row['stream'] : null,
    httpStatus: failed ? null : 200,
    finishReason: failed ? null : finishReason(row),
    model: labelAt(row, 'model_group') ?? labelAt(row, 'model'),
    tenant: labelAt(row, 'team_id') ?? labelAt(row, 'end_user'),
    session: labelAt(row, 'session_id'),
    clock: 'edge',
    oddity: stamped ? 'ttftIsEnd' : null,
  };
  return failed ? { ...request, ...failure(row) } : request;
}

/** The callback's response says it; of a spend log, success is all that is known. */
function finishReason(row: LogObject): LoggedRequest['finishReason'] {
  if (row['response'] === undefined) return 'stop';
  const choices = objectAt(row, 'response')['choices'];
  const first: unknown = Array.isArray(choices) ? choices[0] : null;
  const told =
    typeof first === 'object' && first !== null ? (first as LogObject)['finish_reason'] : null;
  return finishOf(told) ?? 'stop';
}

function failure(row: LogObject): Partial<LoggedRequest> {
  const own = objectAt(row, 'error_information');
  const error =
    Object.keys(own).length > 0 ? own : objectAt(objectAt(row, 'metadata'), 'error_information');
  const status = numberOf(error['error_code']);
  const type = error['error_class'];
  const text = typeof error['error_message'] === 'string' ? error['error_message'] : '';
  const known = status !== null && Number.isFinite(status) ? status : null;
  return {
    end: type === 'Timeout' ? 'timedOut' : 'failed',
    failure: 'httpStatus',
    error: errorOf(known, { type, text }),
    httpStatus: known,
  };
}
