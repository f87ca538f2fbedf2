/** What a response head says about the body that follows. */
import type { FailureClass } from '../record/index.ts';
import { retryAfterNs } from './retry-after.ts';

/** Response headers as undici gives them: lower-case names. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * `answer`: read it. `error`: the request has failed as `failure`; if `search`, the body may hold
 * the reason, and an error object in it makes the failure `serverError` when `announced` is set.
 */
export type HeadVerdict =
  | { readonly kind: 'answer' }
  | {
      readonly kind: 'error';
      readonly failure: FailureClass;
      readonly search: boolean;
    };

/** Redirects are never followed: a load test must know which server it measures. */
export function judgeHead(
  status: number,
  headers: ResponseHeaders,
  accepted: readonly string[],
): HeadVerdict {
  const coding = headerOf(headers, 'content-encoding')?.toLowerCase() ?? 'identity';
  const coded = coding !== 'identity' && coding !== '';
  if (status >= 300 && status < 400) return { kind: 'error', failure: 'redirect', search: false };
  if (status >= 400) return { kind: 'error', failure: 'httpStatus', search: !coded };
  if (coded) return { kind: 'error', failure: 'contentEncoding', search: false };
  const type = mediaTypeOf(headers);
  const json = type === 'application/json' || type.endsWith('+json');
  if (accepted.includes(type) || (json && accepted.includes('application/json'))) {
    return { kind: 'answer' };
  }
  // A JSON body in place of a stream may be an error object: it tells more than its type.
  return { kind: 'error', failure: 'contentType', search: json };
}

export function headerOf(headers: ResponseHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? null);
}

export function retryAfterOf(headers: ResponseHeaders, wallNowMs: number): number | null {
  const seconds = headerOf(headers, 'retry-after');
  return retryAfterNs({ seconds, ms: headerOf(headers, 'retry-after-ms') }, wallNowMs);
}

/** Queue time in a header (TGI: milliseconds); `null` when not told. */
export function queueMsOf(headers: ResponseHeaders): number | null {
  const text = headerOf(headers, 'x-queue-time');
  return text !== null && /^\d{1,9}(\.\d+)?$/.test(text) ? Number(text) : null;
}

function mediaTypeOf(headers: ResponseHeaders): string {
  const [type = ''] = (headerOf(headers, 'content-type') ?? '').split(';');
  return type.trim().toLowerCase();
}
