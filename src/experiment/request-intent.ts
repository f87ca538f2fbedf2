/** One scheduled request → what is asked of the server, in the terms of the counting contract. */
import { assertNever, type JsonValue } from '../base/index.ts';
import type { TargetSpec } from '../config/index.ts';
import type { CountingContract } from '../record/index.ts';
import type { PromptInput, RequestIntent } from '../wire/index.ts';
import type { PromptContent } from '../workload/index.ts';

/** What the preflight settled about talking to this server. */
export interface TalkContract extends CountingContract {
  readonly model: string | null;
  readonly maxTokensField: RequestIntent['maxTokensField'];
}

export function requestIntent(
  target: Pick<TargetSpec, 'stream' | 'body'>,
  talk: TalkContract,
  request: {
    readonly prompt: PromptInput;
    readonly maxTokens: number | null;
    /** Sent where it is not 0, which is what servers take for granted. */
    readonly priority?: number;
  },
): RequestIntent {
  const { priority = 0 } = request;
  return {
    model: talk.model,
    prompt: request.prompt,
    maxTokens: request.maxTokens,
    maxTokensField: talk.maxTokensField,
    exactTokens: talk.exactOutput && request.maxTokens !== null,
    stream: target.stream,
    usage: USAGE_ASKED[talk.tokens],
    extra: { ...target.body, ...(priority === 0 ? {} : { priority }) },
  };
}

const USAGE_ASKED = { none: 'none', usage: 'final', perEventUsage: 'perEvent' } as const;

/** A prompt as the workload made it → as a dialect takes it. */
export function promptInput(content: PromptContent): PromptInput {
  switch (content.kind) {
    case 'text':
      return content;
    case 'messages':
      return { kind: 'conversation', messages: content.messages };
    case 'body':
      return { kind: 'body', body: content.body as Readonly<Record<string, JsonValue>> };
    default:
      return assertNever(content);
  }
}
