/** Langfuse observations, API or export names; only generations are requests. */
import { NS_PER_SECOND } from '../../base/index.ts';
import { NOTHING_LOGGED, type LoggedRequest } from '../../logs/index.ts';
import { derived, measured, type LogFormat } from './log-format.ts';
import {
  between,
  durationAt,
  errorOf,
  instantAt,
  labelAt,
  numberAt,
  objectAt,
  textAt,
  type LogObject,
} from './log-values.ts';

export const langfuseFormat: LogFormat = {
  name: 'langfuse',
  title: 'Langfuse observations',
  fields: {
    startUs: measured('startTime / start_time'),
    ttftNs: measured('completionStartTime, or timeToFirstToken in s'),
    e2eNs: measured('endTime, or latency in s'),
    promptTokens: measured('usageDetails.input'),
    outputTokens: measured('usageDetails.output'),
    finishReason: derived('level is not ERROR; a cut at max_tokens cannot be seen'),
    model: measured('model'),
    tenant: measured('userId'),
  },
  recognises: (value) =>
    ('traceId' in value || 'trace_id' in value) &&
    ('startTime' in value || 'start_time' in value) &&
    'level' in value,
  read: (value) => (textAt(value, 'type') === 'GENERATION' ? [read(value)] : []),
};

function read(row: LogObject): LoggedRequest {
  const either = (camel: string, snake: string): string => (camel in row ? camel : snake);
  const startUs = instantAt(row, either('startTime', 'start_time'));
  const firstUs = instantAt(row, either('completionStartTime', 'completion_start_time'));
  const endUs = instantAt(row, either('endTime', 'end_time'));
  const usage = objectAt(row, either('usageDetails', 'usage_details'));
  const failed = textAt(row, 'level') === 'ERROR';
  const message = textAt(row, either('statusMessage', 'status_message')) ?? '';
  return {
    ...NOTHING_LOGGED,
    requestId: textAt(row, 'id'),
    startUs,
    ttftNs:
      between(startUs, firstUs) ??
      durationAt(row, either('timeToFirstToken', 'time_to_first_token'), NS_PER_SECOND),
    e2eNs: between(startUs, endUs) ?? durationAt(row, 'latency', NS_PER_SECOND),
    promptTokens: numberAt(usage, 'input') ?? numberAt(row, 'promptTokens'),
    outputTokens: numberAt(usage, 'output') ?? numberAt(row, 'completionTokens'),
    ...(failed
      ? { end: 'failed', failure: 'serverError', error: errorOf(null, { text: message }) }
      : { finishReason: 'stop' }),
    model: labelAt(row, either('model', 'provided_model_name')),
    tenant: labelAt(row, either('userId', 'user_id')),
    session: labelAt(row, either('sessionId', 'session_id')),
    clock: 'client',
  };
}
