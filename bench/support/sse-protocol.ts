/** What the benchmark asks of `sse-server.ts`. */

export type SseServerQuestion = { readonly kind: 'start' } | { readonly kind: 'takeSendTimes' };

export type SseServerAnswer =
  | { readonly kind: 'started'; readonly layout: StreamLayout }
  /** By request id: instants of its chunks, in order, on the monotonic clock. */
  | { readonly kind: 'sendTimes'; readonly sentNs: ReadonlyMap<string, readonly number[]> };

/** Where it listens, and how to count chunks without parsing. */
export interface StreamLayout {
  readonly port: number;
  readonly headBytes: number;
  readonly chunkBytes: number;
}

/** Milliseconds between two chunks of one stream, and so the number of phases. */
export const CHUNK_INTERVAL_MS = 40;
