/** Makes requests of a schedule into what is sent: its prompt, in the words of the target's API. */
import type { TargetSpec } from '../config/index.ts';
import type { PreparedRequest } from '../loadgen/index.ts';
import type { Dialect } from '../wire/index.ts';
import {
  type AnswerText,
  makePrompt,
  type PromptSource,
  type ScheduledRequest,
  UNCALIBRATED,
} from '../workload/index.ts';
import type { Preflight } from './preflight.ts';
import { promptInput, requestIntent } from './request-intent.ts';

export interface PreparerOptions {
  readonly target: Pick<TargetSpec, 'stream' | 'body'>;
  readonly source: PromptSource;
  readonly dialect: Dialect;
  readonly preflight: Pick<Preflight, 'talk' | 'calibration'>;
}

/** Makes a request; `answerText` gives what the server said earlier in its session. */
export type Prepare = (request: ScheduledRequest, answerText?: AnswerText) => PreparedRequest;

export function preparer(options: PreparerOptions): Prepare {
  const { target, source, dialect, preflight } = options;
  const calibration = preflight.calibration ?? UNCALIBRATED;
  return (request, answerText) => {
    const content = makePrompt(request.prompt, source, calibration, answerText);
    const intent = requestIntent(target, preflight.talk, {
      prompt: promptInput(content),
      maxTokens: request.outputTokensMax,
      priority: request.priority,
    });
    return {
      body: dialect.buildBody(intent),
      headers: content.kind === 'body' ? content.headers : {},
      traceId: null,
    };
  };
}
