/**
 * What a transformer is made of, as far as its cost goes: how many parameters a token passes, and
 * what a sequence keeps in memory. Read from a Hugging Face `config.json` by the importer of that
 * name.
 */
import { assertNever } from '../../base/index.ts';

/** How a layer lets tokens see earlier ones, and so what it keeps of them. */
export type Mixer =
  | {
      /** MHA, GQA and MQA: keys and values of `kvHeads` heads for every token seen. */
      readonly kind: 'attention';
      readonly queryHeads: number;
      readonly kvHeads: number;
      readonly headSize: number;
      /** The layer sees and keeps only so many tokens. `null` = all. */
      readonly windowTokens: number | null;
      /** Whether a gate as large as the queries multiplies the output. */
      readonly gated: boolean;
    }
  | {
      /** MLA: one compressed vector a token, shared by all heads. */
      readonly kind: 'latent';
      readonly queryHeads: number;
      readonly kvRank: number;
      /** Rotary part of the key, kept beside the compressed vector. */
      readonly ropeSize: number;
      readonly nopeSize: number;
      readonly valueSize: number;
      /** Rank of the compressed query. `null` = not compressed. */
      readonly queryRank: number | null;
    }
  | {
      /** Linear attention and state spaces: a state of fixed size, whatever the context. */
      readonly kind: 'state';
      /** Elements of the recurrent state, four bytes each. */
      readonly stateElements: number;
      /** Elements of the convolution's history, in the cache's type. */
      readonly historyElements: number;
      readonly parameters: number;
    };

export type FeedForward =
  | { readonly kind: 'dense'; readonly width: number; readonly matrices: 2 | 3 }
  | {
      readonly kind: 'experts';
      readonly experts: number;
      /** Experts each token passes. */
      readonly active: number;
      readonly width: number;
      /** Width of what every token passes besides its experts; 0 = nothing. */
      readonly sharedWidth: number;
      readonly matrices: 2 | 3;
    };

/** Layers that are alike. Some models have layers with only one of the two parts. */
export interface LayerGroup {
  readonly count: number;
  readonly mixer: Mixer | null;
  readonly feedForward: FeedForward | null;
}

export interface ModelShape {
  /** `model_type` of the config. */
  readonly modelType: string;
  readonly hiddenSize: number;
  readonly vocabulary: number;
  /** Whether the output matrix is the embedding again. */
  readonly tiedEmbeddings: boolean;
  readonly layers: readonly LayerGroup[];
  /** Bytes a stored weight takes; experts may be stored in fewer bits than the rest. */
  readonly bytesPerWeight: {
    readonly linear: number;
    readonly experts: number;
    readonly embeddings: number;
  };
  /** Bytes of one element of activations, and of the cache unless the server sets another. */
  readonly bytesPerElement: number;
}

/** Parameters of one layer's mixer. Norms and biases, below a thousandth, are left out. */
export function mixerParameters(mixer: Mixer, hiddenSize: number): number {
  switch (mixer.kind) {
    case 'attention': {
      const queries = mixer.queryHeads * mixer.headSize * (mixer.gated ? 2 : 1);
      const keysAndValues = 2 * mixer.kvHeads * mixer.headSize;
      return hiddenSize * (queries + keysAndValues + mixer.queryHeads * mixer.headSize);
    }
    case 'latent': {
      const { queryHeads, kvRank, queryRank, ropeSize, nopeSize, valueSize } = mixer;
      const queries = queryHeads * (nopeSize + ropeSize);
      const query = queryRank === null ? hiddenSize * queries : queryRank * (hiddenSize + queries);
      const keyValue =
        hiddenSize * (kvRank + ropeSize) + kvRank * queryHeads * (nopeSize + valueSize);
      return query + keyValue + queryHeads * valueSize * hiddenSize;
    }
    case 'state':
      return mixer.parameters;
    default:
      return assertNever(mixer);
  }
}

/** Parameters of one expert, or of one dense layer. */
export function expertParameters({ width, matrices }: FeedForward, hiddenSize: number): number {
  return matrices * width * hiddenSize;
}

/** Of a layer, what every token passes: all but the experts. */
export function sharedParameters(layer: LayerGroup, hiddenSize: number): number {
  const mixer = layer.mixer === null ? 0 : mixerParameters(layer.mixer, hiddenSize);
  const { feedForward } = layer;
  if (feedForward === null) return mixer;
  if (feedForward.kind === 'dense') return mixer + expertParameters(feedForward, hiddenSize);
  const router = hiddenSize * feedForward.experts;
  return mixer + router + feedForward.matrices * feedForward.sharedWidth * hiddenSize;
}

/** Parameters of the whole model, embeddings included, and those a token passes. */
export function countParameters(shape: ModelShape): {
  readonly total: number;
  readonly active: number;
} {
  const { hiddenSize, layers } = shape;
  const matrix = shape.vocabulary * hiddenSize;
  const embeddings = shape.tiedEmbeddings ? matrix : 2 * matrix;
  let [total, active] = [embeddings, embeddings];
  for (const layer of layers) {
    const shared = layer.count * sharedParameters(layer, hiddenSize);
    total += shared;
    active += shared;
    const { feedForward } = layer;
    if (feedForward?.kind !== 'experts') continue;
    const expert = layer.count * expertParameters(feedForward, hiddenSize);
    total += feedForward.experts * expert;
    active += feedForward.active * expert;
  }
  return { total, active };
}

/**
 * Bytes of all weights: parameters × bytes. What a checkpoint really holds (scales of quantised
 * groups, towers for images) is its index's `total_size`; prefer that where it is known.
 */
export function weightBytes(shape: ModelShape): number {
  const { hiddenSize, bytesPerWeight } = shape;
  const matrix = shape.vocabulary * hiddenSize;
  let bytes = (shape.tiedEmbeddings ? matrix : 2 * matrix) * bytesPerWeight.embeddings;
  for (const layer of shape.layers) {
    bytes += layer.count * sharedParameters(layer, hiddenSize) * bytesPerWeight.linear;
  }
  return bytes + expertBytes(shape);
}

/** Of those, the experts that tokens choose from. */
export function expertBytes({ layers, hiddenSize, bytesPerWeight }: ModelShape): number {
  let parameters = 0;
  for (const { count, feedForward } of layers) {
    if (feedForward?.kind !== 'experts') continue;
    parameters += count * feedForward.experts * expertParameters(feedForward, hiddenSize);
  }
  return parameters * bytesPerWeight.experts;
}
