/** What a sequence keeps in a device's memory while it is served. */
import { assertNever } from '../../base/index.ts';
import type { ModelShape } from './model-shape.ts';

export interface KvSize {
  /** Bytes that every token of context adds, without end. */
  readonly bytesPerToken: number;
  /** Bytes that a token adds until a window is full, one entry per window length, ascending. */
  readonly windows: readonly { readonly tokens: number; readonly bytesPerToken: number }[];
  /** Bytes a sequence holds however short it is: recurrent state and convolution history. */
  readonly stateBytes: number;
}

export interface KvSizeOptions {
  /** Devices the heads are spread over. A head cannot be split: few heads are kept more than once. */
  readonly tensorParallel: number;
  /** Bytes of a cached element; 1 for an 8-bit cache. */
  readonly bytesPerElement: number;
}

/** Bytes of a recurrent state's element: servers keep it in 32 bits. */
const STATE_ELEMENT_BYTES = 4;

/**
 * What one device keeps per sequence. Blocks of the last partly filled kind, and the rounding of a
 * server that pages several sorts of layers together, come on top.
 */
export function kvSize(shape: ModelShape, options: KvSizeOptions): KvSize {
  const { tensorParallel, bytesPerElement } = options;
  let bytesPerToken = 0;
  let stateBytes = 0;
  const windows = new Map<number, number>();
  for (const { count, mixer } of shape.layers) {
    if (mixer === null) continue;
    switch (mixer.kind) {
      case 'attention': {
        const heads = Math.ceil(mixer.kvHeads / tensorParallel);
        const bytes = count * 2 * heads * mixer.headSize * bytesPerElement;
        const window = mixer.windowTokens;
        if (window === null) bytesPerToken += bytes;
        else windows.set(window, (windows.get(window) ?? 0) + bytes);
        break;
      }
      case 'latent':
        // One vector serves all heads, so every device keeps it whole.
        bytesPerToken += count * (mixer.kvRank + mixer.ropeSize) * bytesPerElement;
        break;
      case 'state':
        stateBytes +=
          (count *
            (mixer.stateElements * STATE_ELEMENT_BYTES + mixer.historyElements * bytesPerElement)) /
          tensorParallel;
        break;
      default:
        assertNever(mixer);
    }
  }
  return {
    bytesPerToken,
    windows: [...windows]
      .map(([tokens, bytes]) => ({ tokens, bytesPerToken: bytes }))
      .toSorted((a, b) => a.tokens - b.tokens),
    stateBytes,
  };
}

/** Bytes that a sequence of `contextTokens` holds. Not proportional where layers have windows. */
export function kvBytesAt(size: KvSize, contextTokens: number): number {
  let bytes = size.stateBytes + contextTokens * size.bytesPerToken;
  for (const { tokens, bytesPerToken } of size.windows) {
    bytes += Math.min(contextTokens, tokens) * bytesPerToken;
  }
  return bytes;
}

/** Bytes a sequence holds, growth apart, once its context is longer than every window. */
export function fixedKvBytes(size: KvSize): number {
  const longest = size.windows.at(-1)?.tokens ?? 0;
  return kvBytesAt(size, longest) - longest * size.bytesPerToken;
}
