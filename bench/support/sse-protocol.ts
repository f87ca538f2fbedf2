/** What the benchmark asks of `sse-server.ts`. */

export type SseServerQuestion =
  | { readonly kind: 'start'; readonly tls: ServerCertificate | null }
  /** How streams that begin from now on are paced. */
  | ({ readonly kind: 'pace' } & Pace)
  | { readonly kind: 'takeSendTimes' };

export interface ServerCertificate {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

export interface Pace {
  /** Milliseconds between two chunks of one stream: 40 are 25 tokens/s. */
  readonly intervalMs: number;
  /** All streams at once, as an engine's steps do, or evenly spread over the interval. */
  readonly burst: boolean;
}

export type SseServerAnswer =
  | { readonly kind: 'started'; readonly layout: StreamLayout }
  | { readonly kind: 'paced' }
  /** By request id: instants of its chunks, in order, on the monotonic clock. */
  | { readonly kind: 'sendTimes'; readonly sentNs: ReadonlyMap<string, readonly number[]> };

/** Where it listens, and how to count chunks without parsing. */
export interface StreamLayout {
  readonly port: number;
  /** `null` where there is no certificate. */
  readonly tlsPort: number | null;
  readonly headBytes: number;
  readonly chunkBytes: number;
}
