import { ProblemsError, usageProblem } from '../base/index.ts';

/** A server's address, taken apart once. */
export interface Target {
  /** `http://host:port`. */
  readonly origin: string;
  /** Host and port as a request names them: without the port that goes without saying. */
  readonly authority: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Path of the versioned API, e.g. `/v1`: below it are most dialects' paths. */
  readonly apiPath: string;
  /** Path of the server itself, e.g. `''`: where `/health` and a server's own dialects are. */
  readonly rootPath: string;
  /** Query of the given URL, sent with every request (Azure's `api-version`). */
  readonly query: Readonly<Record<string, string>>;
}

/**
 * Reads a base URL as a user gives it. `version` is added unless the path has one, at its end or
 * further up, or the query has an `api-version`.
 *
 * Errors: ProblemsError for anything but http and https, and for credentials in the URL, which
 * would end in shell histories and manifests.
 */
export function targetOf(text: string, version = 'v1'): Target {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw problem('the target is not an http or https URL', 'for example http://127.0.0.1:8000');
  }
  if (url.username !== '' || url.password !== '') {
    throw problem('the target URL holds credentials', 'give the key by environment or file');
  }
  const tls = url.protocol === 'https:';
  const path = url.pathname.replace(/\/+$/, '');
  const versioned = /\/v\d+[a-z0-9]*(?=\/|$)/.exec(path);
  const isWhole = versioned !== null || url.searchParams.has('api-version');
  return {
    origin: url.origin,
    authority: url.host,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (tls ? 443 : 80) : Number(url.port),
    tls,
    apiPath: isWhole ? path : `${path}/${version}`,
    rootPath: versioned === null ? path : path.slice(0, versioned.index),
    query: Object.fromEntries(url.searchParams),
  };
}

function problem(message: string, hint: string): ProblemsError {
  return new ProblemsError([usageProblem('E_USAGE_VALUE', message, hint)]);
}
