/** LLMServingSim's request logs of real vLLM runs, row by row; see `../llmservingsim-log.ts`. */
import { NOTHING_LOGGED } from '../../logs/index.ts';
import { derived, measured, type LogFormat } from './log-format.ts';
import { between, instantAt, numberAt, textAt } from './log-values.ts';

export const llmServingSimFormat: LogFormat = {
  name: 'llmservingsim',
  title: 'LLMServingSim request log',
  fields: {
    startUs: measured('queued_ts; on the monotonic clock of the server'),
    ttftNs: derived('first_token_ts − queued_ts'),
    e2eNs: derived('last_token_ts − queued_ts'),
    promptTokens: measured('input_toks'),
    outputTokens: measured('output_toks'),
    finishReason: derived('answer lengths were forced: every request is taken as finished'),
  },
  recognises: (value) => 'queued_ts' in value && 'first_token_ts' in value,
  read(row) {
    const startUs = instantAt(row, 'queued_ts');
    return [
      {
        ...NOTHING_LOGGED,
        requestId: textAt(row, 'request_id'),
        startUs,
        ttftNs: between(startUs, instantAt(row, 'first_token_ts')),
        e2eNs: between(startUs, instantAt(row, 'last_token_ts')),
        promptTokens: numberAt(row, 'input_toks'),
        outputTokens: numberAt(row, 'output_toks'),
        finishReason: 'stop',
        clock: 'server',
      },
    ];
  },
};
