/** A sample of a schedule's prompts in a form that a k6 script can make again. */
import { assert, assertNever, ProblemsError, usageProblem, type JsonValue } from '../base/index.ts';
import type { PromptSource, ScheduledRequest } from '../workload/index.ts';

/** One prompt of the mix. */
export type K6Prompt =
  /** Words made inside k6: `sharedTokens` of shared text, the rest new in every iteration. */
  | {
      readonly kind: 'words';
      readonly promptTokens: number;
      readonly sharedId: number | null;
      readonly sharedTokens: number;
      readonly outputTokensMax: number | null;
      /** Of the request's class, as vLLM takes it; 0 is not sent. */
      readonly priority: number;
    }
  | {
      readonly kind: 'text';
      readonly text: string;
      /** Put a line before the text that no other iteration has. */
      readonly unique: boolean;
      readonly outputTokensMax: number | null;
    }
  | { readonly kind: 'body'; readonly body: Readonly<Record<string, JsonValue>> };

/** The first `limit` prompts of a schedule: its own mix, in its own order. */
export function k6Prompts(
  source: PromptSource,
  requests: readonly ScheduledRequest[],
  limit = 64,
): K6Prompt[] {
  return requests.slice(0, limit).map((request) => k6Prompt(request, source));
}

function k6Prompt(request: ScheduledRequest, source: PromptSource): K6Prompt {
  const { prompt, outputTokensMax, priority } = request;
  switch (prompt.kind) {
    case 'synthetic':
      return {
        kind: 'words',
        promptTokens: prompt.tokens,
        sharedId: prompt.sharedId,
        sharedTokens: prompt.sharedTokens,
        outputTokensMax,
        priority,
      };
    case 'blocks':
      return {
        kind: 'words',
        promptTokens: prompt.tokens,
        sharedId: null,
        sharedTokens: 0,
        outputTokensMax,
        priority,
      };
    case 'prompt': {
      assert(source.kind === 'prompts', `a prompt recipe needs a prompt file, not ${source.kind}`);
      const entry = source.entries[prompt.entry];
      assert(entry !== undefined, `the prompt file has no entry ${prompt.entry}`);
      return {
        kind: 'text',
        text: entry.text,
        unique: prompt.uniqueSeed !== null,
        outputTokensMax,
      };
    }
    case 'body': {
      assert(source.kind === 'bodies', `a body recipe needs raw bodies, not ${source.kind}`);
      const entry = source.entries[prompt.entry];
      assert(entry !== undefined, `the bodies file has no entry ${prompt.entry}`);
      return { kind: 'body', body: entry.body as Readonly<Record<string, JsonValue>> };
    }
    case 'conversation':
      throw new ProblemsError([
        usageProblem(
          'E_UNSUPPORTED',
          'sessions are not written as a k6 script: a turn there cannot wait for the one before it',
          'run them with goodput, or give the script a rate of single requests',
        ),
      ]);
    default:
      return assertNever(prompt);
  }
}
