/** What most dialects have alike, so that each file says only what is its own. */
import type { Dialect, MediaTypes } from './dialect.ts';

export const SSE_TYPE: MediaTypes = ['text/event-stream'];
export const JSON_TYPE: MediaTypes = ['application/json'];

/** An OpenAI-like API below `/v1` that streams SSE and takes `Bearer KEY`. */
export const V1_API = {
  under: 'api',
  version: 'v1',
  keyHeader: 'authorization',
  keyEnv: null,
  awsService: null,
  headers: {},
  mediaTypes: { stream: SSE_TYPE, body: JSON_TYPE },
  follow: null,
  listsModels: true,
  exactLength: false,
  usage: 'always',
  signature: null,
} as const satisfies Partial<Dialect>;

/** A server's own API, at the root. */
export const ROOT_API = { ...V1_API, under: 'root' } as const satisfies Partial<Dialect>;

/** Everything goes to one path, with the body as it was built. */
export function postTo(path: string): Dialect['post'] {
  return (body) => ({ path, query: {}, body });
}

/** Takes the model out of the body, for APIs that have it in the path. */
export function liftModel(body: Readonly<Record<string, unknown>>): {
  readonly model: string;
  readonly rest: Readonly<Record<string, unknown>>;
} {
  const { model, ...rest } = body;
  return { model: encodeURIComponent(typeof model === 'string' ? model : ''), rest };
}
