/**
 * `client` †: one request over HTTP → one timeline. `http-client.ts` is the way in; `exchange.ts`
 * holds the life of a request; `connection.ts` observes the socket. Knows no schedule and no
 * objective, never retries and never follows a redirect.
 */
export * from './answer-tests.ts';
export * from './http-client.ts';
export type { JsonReply, JsonRequest } from './json-request.ts';
export type { ResponseHeaders } from './response-head.ts';
export * from './target.ts';
