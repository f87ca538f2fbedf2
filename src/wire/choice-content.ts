/** What generated content one choice of an OpenAI-style chunk or body carries. */
import type { OutputKind } from '../record/index.ts';
import { asArray, asObject, asText, type JsonObject } from './json-object.ts';

/** Content by kind; a kind without content is `''`. */
export type ContentByKind = Record<OutputKind, string>;

export function noContent(): ContentByKind {
  return { answer: '', reasoning: '', refusal: '', toolCall: '' };
}

/**
 * Adds the content of `choice` to `content`.
 *
 * A chat chunk has it in `delta`, a chat body in `message`, a completion in `text`. Together sends
 * `text` as a copy beside `delta`, so `text` is read only where neither of the others is.
 */
export function addContent(content: ContentByKind, choice: JsonObject): void {
  const message = asObject(choice['delta']) ?? asObject(choice['message']);
  if (message === null) {
    content.answer += asText(choice['text']) ?? '';
    return;
  }
  addParts(content, message['content']);
  content.reasoning += asText(message['reasoning_content']) ?? asText(message['reasoning']) ?? '';
  content.refusal += asText(message['refusal']) ?? '';
  for (const call of asArray(message['tool_calls']) ?? []) {
    content.toolCall += callText(asObject(call)?.['function']);
  }
  content.toolCall += callText(message['function_call']);
}

/** `content` is a text, `null`, or (Mistral) a list of text and thinking parts. */
function addParts(content: ContentByKind, value: unknown): void {
  content.answer += asText(value) ?? '';
  for (const item of asArray(value) ?? []) {
    const part = asObject(item);
    if (part === null) continue;
    if (part['type'] === 'thinking') content.reasoning += thinkingText(part['thinking']);
    else content.answer += asText(part['text']) ?? '';
  }
}

function thinkingText(value: unknown): string {
  const parts = asArray(value);
  if (parts === null) return asText(value) ?? '';
  return parts.map((part) => asText(asObject(part)?.['text']) ?? '').join('');
}

/** The name of a called function and its arguments are both generated. */
function callText(value: unknown): string {
  const call = asObject(value);
  return (asText(call?.['name']) ?? '') + (asText(call?.['arguments']) ?? '');
}
