/** Request bodies of OpenAI-style dialects. */
import type { RequestIntent } from './dialect.ts';
import { field, requestBody, type Body, type RefusedFields } from './request-body.ts';

/** More than one answer, or the prompt among the output, cannot be measured. */
export const ONE_CHOICE: RefusedFields = {
  n: { allowed: 1, because: 'a load test measures one choice per request' },
  echo: { allowed: false, because: 'an echoed prompt would count as output' },
};

/** The fields every OpenAI-style dialect shares, after the prompt fields. */
export function buildOpenAiBody(dialect: string, intent: RequestIntent, promptPart: Body): Body {
  const needed = {
    ...field('model', intent.model),
    ...promptPart,
    ...lengthFields(intent),
    stream: intent.stream,
    ...streamOptions(intent),
  };
  return requestBody(intent, { dialect, needed, refused: ONE_CHOICE, exactLength: true });
}

function lengthFields(intent: RequestIntent): Body {
  if (intent.maxTokens === null) return {};
  const limit = { [intent.maxTokensField]: intent.maxTokens };
  return intent.exactTokens ? { ...limit, ignore_eos: true, min_tokens: intent.maxTokens } : limit;
}

function streamOptions({ stream, usage }: RequestIntent): Body {
  if (!stream || usage === 'none') return {};
  const options = { include_usage: true };
  return {
    stream_options: usage === 'perEvent' ? { ...options, continuous_usage_stats: true } : options,
  };
}
