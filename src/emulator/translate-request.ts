import { asArray, asObject, type JsonObject, type ServedDialectName } from '../wire/index.ts';

/**
 * A body of any served API as the chat API would have it (completions as themselves), so that one
 * reader understands all. What is missing or malformed stays so, and is refused there.
 */
export function translateRequest(api: ServedDialectName, body: JsonObject): JsonObject {
  switch (api) {
    case 'responses':
      return {
        ...body,
        messages: withSystem(
          body['instructions'],
          typeof body['input'] === 'string' ? [{ content: body['input'] }] : body['input'],
        ),
        max_tokens: body['max_output_tokens'],
        stream_options: ALWAYS_USAGE,
      };
    case 'anthropic':
      return {
        ...body,
        messages: withSystem(body['system'], body['messages']),
        stream_options: ALWAYS_USAGE,
      };
    case 'ollama-chat':
      return fromOllama(body, body['messages']);
    case 'ollama-generate':
      return fromOllama(body, withSystem(body['system'], [{ content: body['prompt'] ?? '' }]));
    default:
      return body;
  }
}

/** These APIs tell usage unasked. */
const ALWAYS_USAGE = { include_usage: true };

/** Ollama streams unless told not to; -1 and -2 as a length leave it to the model. */
function fromOllama(body: JsonObject, messages: unknown): JsonObject {
  const options = asObject(body['options']) ?? {};
  const length = options['num_predict'];
  return {
    ...body,
    messages,
    max_tokens: length === -1 || length === -2 ? undefined : length,
    seed: options['seed'],
    stream: body['stream'] !== false,
    stream_options: ALWAYS_USAGE,
  };
}

/** The messages with the system prompt, if there is one, before them. */
function withSystem(system: unknown, messages: unknown): unknown {
  const list = asArray(messages);
  if (list === null || system === undefined || system === null) return messages;
  return [{ content: system }, ...list];
}
