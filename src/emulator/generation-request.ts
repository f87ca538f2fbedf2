import { asCount, asObject, type JsonObject, type ServedDialectName } from '../wire/index.ts';
import { badRequest, contextTooLong, notFound, type ApiError } from './api-error.ts';
import { countTokens, TEMPLATE_TOKENS_PER_MESSAGE } from './count-tokens.ts';
import type { EmulatorOptions } from './emulator-options.ts';
import { translateRequest } from './translate-request.ts';

export type GenerationApi = ServedDialectName;

/** Completions without `max_tokens` are this long, as the API has it. */
const COMPLETIONS_DEFAULT_TOKENS = 16;

/** A generation request that the server understands and the model can hold. */
export interface GenerationRequest {
  readonly api: GenerationApi;
  readonly promptText: string;
  /** The texts of the messages, one in the completions API. */
  readonly messages: readonly string[];
  readonly promptTokens: number;
  readonly streamed: boolean;
  /** Whether a usage event closes the stream. */
  readonly includeUsage: boolean;
  /** Whether token counts are told at all, asked for or not. */
  readonly tellsUsage: boolean;
  /** Whether every event carries the usage so far. */
  readonly continuousUsage: boolean;
  readonly maxTokens: number;
  readonly minTokens: number;
  readonly ignoreEos: boolean;
  /** The client's sampling seed. */
  readonly seed: number | null;
  /** vLLM's `priority`: smaller goes first. 0 unless the server schedules by it. */
  readonly priority: number;
  /** vLLM's `cache_salt`: requests with different ones share no cached prefix. */
  readonly cacheSalt: string | null;
}

/** A prompt as text and its length in the emulator's tokens. */
export interface Prompt {
  readonly text: string;
  readonly messages: readonly string[];
  readonly tokens: number;
}

type Parsed<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly error: ApiError };

/**
 * Reads a request body. Fields that shape sampling (temperature, stop, tools, …) are accepted and
 * change nothing here; a field that would change the shape of the answer is refused.
 */
export function parseGenerationRequest(
  api: GenerationApi,
  givenBody: JsonObject,
  options: EmulatorOptions,
): Parsed<GenerationRequest> {
  const body = translateRequest(api, givenBody);
  const refuse = (error: ApiError): Parsed<never> => ({ kind: 'refused', error });
  if (typeof body['model'] !== 'string') return refuse(badRequest('model must be a string.'));
  if (body['model'] !== options.model) {
    return refuse(notFound('The model does not exist.', 'model_not_found'));
  }
  if ((body['n'] ?? 1) !== 1) return refuse(badRequest('n must be 1.'));
  const prompt = parsePrompt(api, body);
  if (prompt.kind === 'refused') return prompt;

  const { text: promptText, messages, tokens: promptTokens } = prompt.value;
  const roomTokens = options.maxModelTokens - promptTokens;
  const defaultTokens =
    api === 'completions' ? Math.min(COMPLETIONS_DEFAULT_TOKENS, roomTokens) : roomTokens;
  const maxTokens = asCount(
    body['max_completion_tokens'] ?? body['max_tokens'] ?? Math.max(1, defaultTokens),
  );
  if (maxTokens === null || maxTokens < 1) {
    return refuse(badRequest('max_tokens must be at least 1.'));
  }
  const minTokens = asCount(body['min_tokens'] ?? 0);
  if (minTokens === null || minTokens > maxTokens) {
    return refuse(badRequest('min_tokens must be between 0 and max_tokens.'));
  }
  if (maxTokens > roomTokens) {
    return refuse(contextTooLong(options.maxModelTokens, promptTokens + maxTokens));
  }
  const priority = body['priority'] ?? 0;
  if (!Number.isSafeInteger(priority)) return refuse(badRequest('priority must be an integer.'));
  if (priority !== 0 && options.policy !== 'priority') {
    return refuse(badRequest('priority needs a server that schedules by priority.'));
  }
  const cacheSalt = body['cache_salt'] ?? null;
  if (cacheSalt !== null && (typeof cacheSalt !== 'string' || cacheSalt === '')) {
    return refuse(badRequest('cache_salt must be a text that is not empty.'));
  }
  const streamed = body['stream'] === true;
  const streamOptions = asObject(body['stream_options']);
  // The other APIs have no answer without usage.
  const tellsUsage = options.usage || (api !== 'chat' && api !== 'completions');
  const includeUsage = tellsUsage && streamed && streamOptions?.['include_usage'] === true;
  return {
    kind: 'ok',
    value: {
      api,
      promptText,
      messages,
      promptTokens,
      streamed,
      includeUsage,
      tellsUsage,
      continuousUsage:
        includeUsage && options.perEventUsage && streamOptions?.['continuous_usage_stats'] === true,
      maxTokens,
      minTokens,
      ignoreEos: body['ignore_eos'] === true,
      seed: asCount(body['seed']),
      priority: priority as number,
      cacheSalt,
    },
  };
}

/** Reads the prompt of a chat or completions body; an empty one still has a token, as a start mark would be. */
export function parsePrompt(api: GenerationApi, body: JsonObject): Parsed<Prompt> {
  if (api !== 'completions') return parseMessages(body['messages']);
  const prompt = body['prompt'];
  const single = Array.isArray(prompt) && prompt.length === 1 ? (prompt[0] as unknown) : prompt;
  if (typeof single === 'string') {
    const tokens = Math.max(1, countTokens(single));
    return { kind: 'ok', value: { text: single, messages: [single], tokens } };
  }
  if (Array.isArray(single) && single.length > 0 && single.every((id) => asCount(id) !== null)) {
    const text = single.join(' ');
    return { kind: 'ok', value: { text, messages: [text], tokens: single.length } };
  }
  return {
    kind: 'refused',
    error: badRequest('prompt must be one text or one list of token ids.'),
  };
}

function parseMessages(messages: unknown): Parsed<Prompt> {
  const refused = (message: string): Parsed<never> => ({
    kind: 'refused',
    error: badRequest(message),
  });
  if (!Array.isArray(messages) || messages.length === 0) {
    return refused('messages must be a list of at least one message.');
  }
  const texts: string[] = [];
  for (const message of messages as unknown[]) {
    const text = messageText(asObject(message)?.['content']);
    if (text === null) return refused('content must be a text or a list of text parts.');
    texts.push(text);
  }
  const templateTokens = messages.length * TEMPLATE_TOKENS_PER_MESSAGE;
  const text = texts.join('\n');
  const tokens = templateTokens + countTokens(text);
  return { kind: 'ok', value: { text, messages: texts, tokens } };
}

function messageText(content: unknown): string | null {
  if (typeof content === 'string') return content;
  // An assistant message that only called tools has no content.
  if (content === null || content === undefined) return '';
  if (!Array.isArray(content)) return null;
  const parts = content.map((part: unknown) => asObject(part)?.['text']);
  return parts.every((part) => typeof part === 'string') ? parts.join('\n') : null;
}
