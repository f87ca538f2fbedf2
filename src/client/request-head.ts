/** Request headers: ours, then the user's, then the request's own. */
import { createHash } from 'node:crypto';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { assert, printable, usageProblem, type Problem } from '../base/index.ts';
import type { OutgoingRequest } from '../record/index.ts';
import type { Dialect } from '../wire/index.ts';
import type { ClientKey } from './aws-signature.ts';

export interface HeadOptions {
  /** The key itself, read by the caller; it goes into the header and nowhere else. */
  readonly apiKey: ClientKey | null;
  /** Lower-case name of the header that carries it: as `Bearer KEY` if that is `authorization`. */
  readonly keyHeader: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly dialect: Pick<Dialect, 'headers' | 'mediaTypes'>;
}

/**
 * What cannot be sent as a header, found before the load. The values are not repeated: they may be
 * secrets.
 */
export function headerProblems(options: HeadOptions): Problem[] {
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(options.headers)) {
    if (!isHeader(name, value)) {
      problems.push(usageProblem('E_USAGE_VALUE', `header ${printable(name)} cannot be sent`));
    }
  }
  if (!sentOfKey(options.apiKey).every((text) => isHeader(options.keyHeader, text))) {
    const hint = 'look for line ends or characters that are not plain text';
    problems.push(usageProblem('E_USAGE_VALUE', 'the API key cannot be sent as a header', hint));
  }
  return problems;
}

/** The parts of it that headers carry. */
function sentOfKey(key: ClientKey | null): readonly string[] {
  if (key === null) return [];
  return typeof key === 'string' ? [key] : [key.accessKeyId, key.region, key.sessionToken ?? ''];
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

/** Names are lower-cased, so that a later header replaces an earlier one however it is spelt. */
export function baseHeaders(options: HeadOptions, accept: string): Record<string, string> {
  return {
    accept,
    // A coded body would arrive in blocks of the coder's choosing, not as the server wrote it.
    'accept-encoding': 'identity',
    'user-agent': 'goodput',
    ...options.dialect.headers,
    ...keyHeaders(options),
    ...lowerCased(options.headers),
  };
}

function keyHeaders({ apiKey, keyHeader }: HeadOptions): Record<string, string> {
  if (typeof apiKey !== 'string') return {};
  return { [keyHeader]: keyHeader === 'authorization' ? `Bearer ${apiKey}` : apiKey };
}

export function requestHeaders(
  options: HeadOptions,
  request: OutgoingRequest,
): Record<string, string> {
  const { requestId, traceId, streamed } = request;
  return {
    ...baseHeaders(options, options.dialect.mediaTypes[streamed ? 'stream' : 'body'].join(', ')),
    'content-type': 'application/json',
    'x-request-id': requestId,
    ...(traceId === null ? {} : { traceparent: traceparentOf(traceId, requestId) }),
    ...lowerCased(request.headers),
  };
}

/** W3C trace context. The span id is derived from the request id, so it can be found again. */
function traceparentOf(traceId: string, requestId: string): string {
  assert(/^[0-9a-f]{32}$/.test(traceId), 'a trace id is 32 lower-case hex digits');
  const spanId = createHash('sha256').update(requestId).digest('hex').slice(0, 16);
  return `00-${traceId}-${spanId}-01`;
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
