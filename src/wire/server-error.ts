/** Turns an error a server sent into machine words; its text is searched here and dropped. */
import { machineWord } from '../base/index.ts';
import type { ServerError } from '../record/index.ts';
import { asArray, asObject, asText, parseObject, type JsonObject } from './json-object.ts';

/**
 * Words that tell a published limit from plain overload. "Too Many Requests" alone is not among
 * them: it is only the name of status 429.
 */
const EVIDENCE: readonly { readonly word: string; readonly pattern: RegExp }[] = [
  { word: 'quota', pattern: /quota|billing|credit balance|insufficient (funds|balance|credits)/i },
  {
    word: 'rateLimit',
    pattern: /rate[\s_-]?limit|(tokens|requests)[\s_-]?per[\s_-]?(minute|min|day)|\b[rt]pm\b/i,
  },
  {
    word: 'contextLength',
    pattern:
      /context[\s_-]?(length|window)|maximum context|max_model_len|prompt is too long|too many (input )?tokens|(longer|greater|larger) than the (maximum|model)|reduce the length/i,
  },
];

/** Fields of an error object that describe it. Others may quote the prompt and are not searched. */
const DESCRIBING = ['message', 'msg', 'code', 'type', 'status', 'detail', 'error', 'reason'];
const SEARCH_LIMIT = 65_536;

/** Where an error came from and what travelled beside it. */
export interface ErrorContext {
  readonly httpStatus: number | null;
  readonly retryAfterNs: number | null;
}

/**
 * The evidence in an error: a parsed value (object or text), or the raw body of an error response,
 * which may be JSON or anything else.
 */
export function serverErrorOf(error: unknown, context: ErrorContext): ServerError {
  const value = typeof error === 'string' ? (parseObject(error) ?? error) : error;
  const outer = asObject(value);
  const inner = asObject(outer?.['error']) ?? outer;
  const text = (typeof value === 'string' ? value : describingText(outer)).slice(0, SEARCH_LIMIT);
  return {
    ...context,
    code: machineWord(inner?.['code']),
    type: machineWord(inner?.['type']) ?? machineWord(inner?.['status']),
    evidence: EVIDENCE.filter(({ pattern }) => pattern.test(text)).map(({ word }) => word),
  };
}

/**
 * The error that a chunk or body announces, or `null`. Servers send `error` as an object or a
 * text, or the whole object is one (`"object": "error"`, older vLLM).
 */
export function announcedError(body: JsonObject): unknown {
  if (body['object'] === 'error') return body;
  return asObject(body['error']) ?? asText(body['error']);
}

function describingText(error: JsonObject | null, depth = 0): string {
  if (error === null || depth > 2) return '';
  const parts: string[] = [];
  for (const field of DESCRIBING) {
    const value = error[field];
    if (typeof value === 'string' || typeof value === 'number') parts.push(String(value));
    else if (Array.isArray(value)) {
      for (const item of asArray(value) ?? [])
        parts.push(describingText(asObject(item), depth + 1));
    } else parts.push(describingText(asObject(value), depth + 1));
  }
  return parts.join('\n');
}
