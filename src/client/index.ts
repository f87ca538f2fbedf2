/**
 * `client` †: one request over HTTP → one timeline. `http-client.ts` is the way in; `exchange.ts`
 * holds the life of a request; `transport.ts` is the port of what carries it, `fast-connection.ts` and
 * `undici-connection.ts` are behind it. Knows no schedule and no
 * objective, never retries and never follows a redirect.
 */
export * from './answer-tests.ts';
export type { AwsKey, ClientKey } from './aws-signature.ts';
export type { AnswerCounter } from './answer-tokens.ts';
export * from './http-client.ts';
export type { ConnectionOpenings } from './opening-tally.ts';
export type { JsonReply, JsonRequest } from './json-request.ts';
export type { ResponseHeaders } from './response-head.ts';
export * from './target.ts';
export type { ClientCertificate } from './open-socket.ts';
export { TRANSPORT_NAMES, type TransportName } from './transport.ts';
