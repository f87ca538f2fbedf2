/**
 * AWS Signature Version 4 of a request, by headers.
 *
 * Source: "Create a signed AWS API request" (AWS General Reference); held to AWS's own test suite.
 */
import { createHash, createHmac } from 'node:crypto';
import type { HttpRequest } from './transport.ts';

/** What signs requests to one AWS service. Only the first of the texts may be shown. */
export interface AwsKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials; `null` for none. */
  readonly sessionToken: string | null;
  readonly region: string;
  readonly service: string;
}

/** What a client proves itself with: a key that is sent, or one that signs and never is. */
export type ClientKey = string | AwsKey;

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** Headers to add to the request, lower case: the instant, the session's token and the signature. */
export function awsSignature(
  { method, path, headers, body }: HttpRequest,
  authority: string,
  key: AwsKey,
  wallNowMs: number,
): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken, region, service } = key;
  const instant = new Date(wallNowMs).toISOString().replace(/[-:]|\.\d+/g, '');
  const day = instant.slice(0, 8);
  const ours = {
    'x-amz-date': instant,
    ...(sessionToken === null ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const signed = signedHeaders({ ...headers, ...ours, host: authority });
  const names = signed.map(([name]) => name).join(';');
  const [bare = '', query = ''] = path.split(/\?(.*)/s);
  const request = [
    method,
    bare.split('/').map(encoded).join('/'),
    canonicalQuery(query),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(body ?? ''),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = [ALGORITHM, instant, scope, sha256(request)].join('\n');
  const signingKey = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (last, part) => hmac(last, part),
    `AWS4${secretAccessKey}`,
  );
  const signature = hmac(signingKey, toSign).toString('hex');
  const credential = `Credential=${accessKeyId}/${scope}`;
  return {
    ...ours,
    authorization: `${ALGORITHM} ${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** What a proxy may change is left out, and what must be there is all there. */
function signedHeaders(headers: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(headers)
    .map(([name, value]): [string, string] => [name, value.trim().replace(/ +/g, ' ')])
    .filter(([name]) => name === 'host' || name === 'content-type' || name.startsWith('x-amz-'))
    .toSorted(([a], [b]) => inOrder(a, b));
}

/** By name, then by value: of `a1` and `a` the latter is first, though `=` comes behind `1`. */
function canonicalQuery(query: string): string {
  return [...new URLSearchParams(query)]
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .toSorted(([a, x], [b, y]) => (a === b ? inOrder(x, y) : inOrder(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** All but the unreserved characters of RFC 3986; a path that is encoded is encoded once more. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
