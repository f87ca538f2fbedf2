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
import { type TraceChoice, traceIdOf } from './trace-choice.ts';

export interface PreparerOptions {
  readonly target: Pick<TargetSpec, 'stream' | 'body'>;
  readonly source: PromptSource;
  readonly dialect: Dialect;
  readonly preflight: Pick<Preflight, 'talk' | 'calibration'>;
  readonly tracing: TraceChoice;
}

/** Makes a try of a request; `answerText` gives what the server said earlier in its session. */
export type Prepare = (
  request: ScheduledRequest,
  requestId: string,
  answerText?: AnswerText,
) => PreparedRequest;

export function preparer(options: PreparerOptions): Prepare {
  const { target, source, dialect, preflight, tracing } = options;
  const calibration = preflight.calibration ?? UNCALIBRATED;
  return (request, requestId, answerText) => {
    const content = makePrompt(request.prompt, source, calibration, answerText);
    const intent = requestIntent(target, preflight.talk, {
      prompt: promptInput(content),
      maxTokens: request.outputTokensMax,
      priority: request.priority,
    });
    return {
      body: dialect.buildBody(intent),
      headers: content.kind === 'body' ? content.headers : {},
      traceId: traceIdOf(request, requestId, tracing),
    };
  };
}
