/**
 * What a provider says of its limits in the headers of a response, whether it refused or not.
 *
 * Sources: OpenAI's and Groq's "Rate limits" pages (`x-ratelimit-{limit,remaining,reset}-{requests,
 * tokens}`, resets as `6m0s`; Groq's requests are a day's), Azure OpenAI (the same names, resets in
 * seconds), Anthropic's page (`anthropic-ratelimit-{requests,tokens,input-tokens,output-tokens}-
 * {limit,remaining,reset}`, resets in RFC 3339).
 */
import { nsFromMs, NS_PER_MS, NS_PER_SECOND } from '../base/index.ts';
import type { LimitedUnit, ToldLimit } from '../record/index.ts';
import { headerOf, type ResponseHeaders } from './response-head.ts';

interface LimitHeaders {
  readonly of: LimitedUnit;
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
}

const OPENAI_LIKE: readonly LimitHeaders[] = (['requests', 'tokens'] as const).map((of) => ({
  of,
  limit: `x-ratelimit-limit-${of}`,
  remaining: `x-ratelimit-remaining-${of}`,
  reset: `x-ratelimit-reset-${of}`,
}));

const ANTHROPIC: readonly LimitHeaders[] = (
  [
    ['requests', 'requests'],
    ['tokens', 'tokens'],
    ['inputTokens', 'input-tokens'],
    ['outputTokens', 'output-tokens'],
  ] as const
).map(([of, name]) => ({
  of,
  limit: `anthropic-ratelimit-${name}-limit`,
  remaining: `anthropic-ratelimit-${name}-remaining`,
  reset: `anthropic-ratelimit-${name}-reset`,
}));

/** The limits that the headers tell, in a fixed order; empty when they tell none. Never throws. */
export function toldLimits(headers: ResponseHeaders, wallNowMs: number): readonly ToldLimit[] {
  return [...OPENAI_LIKE, ...ANTHROPIC].flatMap((names) => {
    const limitCount = countOf(headerOf(headers, names.limit));
    const remainingCount = countOf(headerOf(headers, names.remaining));
    if (limitCount === null && remainingCount === null) return [];
    const resetNs = resetNsOf(headerOf(headers, names.reset), wallNowMs);
    return [{ of: names.of, per: periodOf(names, headers), limitCount, remainingCount, resetNs }];
  });
}

/** Groq's request headers are of a day, all else that is documented of a minute. */
function periodOf({ of }: LimitHeaders, headers: ResponseHeaders): ToldLimit['per'] {
  const isGroq = headerOf(headers, 'x-groq-region') !== null;
  return isGroq && of === 'requests' ? 'day' : 'minute';
}

/** Below zero is nothing left, as some gateways say it. */
function countOf(value: string | null): number | null {
  const text = value?.trim() ?? '';
  if (/^-\d{1,15}$/.test(text)) return 0;
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

const DURATION_PART = /(\d{1,9}(?:\.\d{1,9})?)(ms|h|m|s)/g;
const DURATION = /^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|h|m|s))+$/;
const PART_NS: Readonly<Record<string, number>> = {
  ms: NS_PER_MS,
  s: NS_PER_SECOND,
  m: 60 * NS_PER_SECOND,
  h: 3_600 * NS_PER_SECOND,
};
/** RFC 3339. `Date.parse` would accept far more. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** `6m0s`, plain seconds or an instant, as the time from now on; `null` for anything else. */
function resetNsOf(value: string | null, wallNowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d{1,6}(?:\.\d{1,9})?$/.test(text)) return wholeNs(Number(text) * NS_PER_SECOND);
  if (DURATION.test(text)) {
    let totalNs = 0;
    for (const [, count, unit] of text.matchAll(DURATION_PART)) {
      totalNs += Number(count) * (PART_NS[unit ?? ''] ?? 0);
    }
    return wholeNs(totalNs);
  }
  const atMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : nsFromMs(Math.max(0, atMs - wallNowMs));
}

function wholeNs(ns: number): number | null {
  const whole = Math.round(ns);
  return Number.isSafeInteger(whole) ? whole : null;
}
