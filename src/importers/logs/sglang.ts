/** SGLang's request metrics log. TTFT is not in it, but follows from the decode throughput. */
import { NS_PER_SECOND } from '../../base/index.ts';
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
  objectAt,
  textAt,
  type LogObject,
} from './log-values.ts';

export const sglangFormat: LogFormat = {
  name: 'sglang',
  title: 'SGLang request metrics',
  fields: {
    startUs: measured('request_received_ts'),
    ttftNs: derived('finished − received − completion_tokens / decode_throughput'),
    e2eNs: measured('e2e_latency'),
    promptTokens: measured('prompt_tokens'),
    outputTokens: measured('completion_tokens'),
    finishReason: measured('finish_reason'),
    model: measured('model'),
  },
  recognises: (value) => 'request_received_ts' in value,
  read: (value) => [read(value)],
};

function read(row: LogObject): LoggedRequest {
  const startUs = instantAt(row, 'request_received_ts');
  const endUs = instantAt(row, 'request_finished_ts');
  const e2eNs = durationAt(row, 'e2e_latency', NS_PER_SECOND) ?? between(startUs, endUs);
  const tokens = numberAt(row, 'completion_tokens');
  const perSecond = numberAt(row, 'decode_throughput');
  const reason = textAt(objectAt(row, 'finish_reason'), 'type') ?? textAt(row, 'finish_reason');
  const aborted = reason === 'abort';
  const knows = e2eNs !== null && tokens !== null && perSecond !== null && perSecond > 0;
  return {
    ...NOTHING_LOGGED,
    requestId: textAt(row, 'id') ?? textAt(row, 'rid'),
    startUs,
    ttftNs:
      knows && !aborted
        ? Math.max(0, Math.round(e2eNs - (tokens / perSecond) * NS_PER_SECOND))
        : null,
    e2eNs,
    promptTokens: numberAt(row, 'prompt_tokens'),
    outputTokens: tokens,
    cachedPromptTokens: numberAt(row, 'cached_tokens'),
    ...(aborted
      ? { end: 'failed', failure: 'serverError', error: errorOf(null, { type: reason }) }
      : { finishReason: finishOf(reason) }),
    model: labelAt(row, 'model'),
    clock: 'server',
  };
}
