import { isIP } from 'node:net';
import type { FollowedAnswer } from '../wire/index.ts';
import type { Target } from './target.ts';

/** Where a stream is fetched. */
export interface StreamPlace {
  readonly url: URL;
  /** It is at the target's own origin. */
  readonly atTarget: boolean;
}

/**
 * The place that a server's answer names, if a load test may go there: to the target's own origin, or
 * by TLS from one host of the service's domains to another. `null` for anything else, as for any
 * redirect: a load test must know which server it measures, and a key goes to no other.
 */
export function streamPlace(
  text: string,
  target: Pick<Target, 'origin' | 'host' | 'tls'>,
  { domains }: Pick<FollowedAnswer, 'domains'>,
): StreamPlace | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== '' || url.password !== '') return null;
  if (url.origin === target.origin) return { url, atTarget: true };
  const isOurs = (host: string): boolean => domains.some((domain) => isWithin(host, domain));
  const isTls = target.tls && url.protocol === 'https:';
  return isTls && isOurs(target.host) && isOurs(url.hostname) ? { url, atTarget: false } : null;
}

function isWithin(host: string, domain: string): boolean {
  return isIP(host) === 0 && (host === domain || host.endsWith(`.${domain}`));
}
