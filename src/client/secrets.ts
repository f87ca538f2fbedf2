/** What this client sends in confidence, taken out of what a server says back. */
import type { RequestEnd } from '../record/index.ts';
import type { ClientKey } from './aws-signature.ts';
import type { JsonReply } from './json-request.ts';
import type { ResponseHeaders } from './response-head.ts';

/** A shorter header value is a flag or a number; to hide it would hide ordinary words. */
const HEADER_VALUE_LEAST = 8;
const HIDDEN = '[hidden]';

/**
 * The key, and the values of the user's own headers. A server that tells back what it was sent, as
 * debug endpoints and proxies do, would else have them written into a manifest.
 */
export class Secrets {
  readonly #texts: readonly string[];

  constructor(options: {
    readonly apiKey: ClientKey | null;
    readonly headers: Readonly<Record<string, string>>;
  }) {
    const values = Object.values(options.headers).filter(
      (value) => value.length >= HEADER_VALUE_LEAST,
    );
    const key = textsOf(options.apiKey).filter((text) => text !== '');
    // The longest first, so that none is left over from a longer one that holds it.
    this.#texts = [...new Set([...key, ...values].flatMap(spellings))].toSorted(
      (a, b) => b.length - a.length,
    );
  }

  /** `text` without them. */
  hideIn(text: string): string {
    return this.#texts.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);
  }

  /** A reply as it may be kept: its text, what was read of it, and its headers. */
  hideInReply({ httpStatus, headers, text, json }: JsonReply): JsonReply {
    const shown = this.hideIn(text);
    return {
      httpStatus,
      headers: this.#hideInHeaders(headers),
      text: shown,
      json: shown === text ? json : parsed(shown),
    };
  }

  /** An error's words are dropped when they are what was sent. */
  hideInEnd(end: RequestEnd): RequestEnd {
    if (end.kind !== 'failed' || end.error === null) return end;
    const { code, type } = end.error;
    const safe = (word: string | null): string | null =>
      word === null || this.hideIn(word) === word ? word : null;
    return { ...end, error: { ...end.error, code: safe(code), type: safe(type) } };
  }

  #hideInHeaders(headers: ResponseHeaders): ResponseHeaders {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        typeof value === 'string' ? this.hideIn(value) : value?.map((each) => this.hideIn(each)),
      ]),
    );
  }
}

/** As it is, as JSON has it, and as JSON of those who escape a slash, which AWS's keys are full of. */
function spellings(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  return [text, json, json.replaceAll('/', '\\/')];
}

function textsOf(key: ClientKey | null): readonly string[] {
  if (key === null) return [];
  if (typeof key === 'string') return [key];
  const { accessKeyId, secretAccessKey, sessionToken } = key;
  return [accessKeyId, secretAccessKey, sessionToken ?? ''];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
