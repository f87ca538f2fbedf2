/** Memory of the key-value cache. */

/** What the cache holds. `kvHeads` is the number of key-value heads, not of query heads. */
export interface KvShape {
  readonly layers: number;
  readonly batch: number;
  /** Tokens cached per sequence: prompt and output so far. */
  readonly tokens: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly bytesPerElement: number;
}

/**
 * Bytes of a conventional cache: keys and values, 2 · layers · batch · tokens · KV heads · head
 * dimension · bytes per element.
 *
 * Scope: with grouped or multi-query attention (GQA, MQA) the query heads are more than the KV
 * heads, and counting them would be several times too much. Latent (MLA), sliding-window and
 * state-space layers do not follow this formula. Weights, activations, workspaces and
 * partly filled blocks come on top.
 */
export function kvBytes(shape: KvShape): number {
  return (
    2 *
    shape.layers *
    shape.batch *
    shape.tokens *
    shape.kvHeads *
    shape.headDim *
    shape.bytesPerElement
  );
}
