import type { KvBlock } from './block-table.ts';
import type { KvMemoryOptions } from './engine.ts';
import { PrefixCache } from './prefix-cache.ts';
import type { Sequence } from './sequence.ts';

/**
 * The blocks of one engine's memory: who holds how many, and which can be found again. It keeps
 * what it must know about a sequence in the sequence itself.
 */
export interface KvMemory {
  /** Blocks no sequence holds. A prefix cache may still know what is in them. */
  readonly freeBlocks: number;
  /** The blocks a waiting sequence would find: leading ones, never the one with its last token. */
  find(sequence: Sequence): readonly KvBlock[];
  /**
   * Gives a waiting sequence the blocks it found and new ones for `tokens` in all. False, and nothing
   * happens, when they or those for `fullTokens` are not free.
   */
  enter(sequence: Sequence, found: readonly KvBlock[], tokens: number, fullTokens: number): boolean;
  /** Gives a sequence blocks for `tokens` in all. False, and nothing happens, without free ones. */
  grow(sequence: Sequence, tokens: number): boolean;
  /** Takes back all blocks of a sequence that leaves. */
  release(sequence: Sequence): void;
  /** Takes back all blocks of a sequence that will come again. */
  preempt(sequence: Sequence): void;
}

export function createKvMemory(options: KvMemoryOptions): KvMemory {
  return options.prefixCaching ? new PrefixCache(options) : new CountedMemory(options);
}

const NOTHING: readonly KvBlock[] = [];

/** Where no block is ever found again, it is enough to count them. */
class CountedMemory implements KvMemory {
  readonly #blockTokens: number;
  freeBlocks: number;

  constructor({ blocks, blockTokens }: KvMemoryOptions) {
    this.#blockTokens = blockTokens;
    this.freeBlocks = blocks;
  }

  find(): readonly KvBlock[] {
    return NOTHING;
  }

  enter(
    sequence: Sequence,
    _found: readonly KvBlock[],
    tokens: number,
    fullTokens: number,
  ): boolean {
    if (Math.ceil(fullTokens / this.#blockTokens) > this.freeBlocks) return false;
    return this.grow(sequence, tokens);
  }

  grow(sequence: Sequence, tokens: number): boolean {
    const missing = Math.ceil((tokens - sequence.roomTokens) / this.#blockTokens);
    if (missing > this.freeBlocks) return false;
    this.freeBlocks -= missing;
    sequence.roomTokens += missing * this.#blockTokens;
    return true;
  }

  release(sequence: Sequence): void {
    this.freeBlocks += sequence.roomTokens / this.#blockTokens;
    sequence.roomTokens = 0;
  }

  preempt(sequence: Sequence): void {
    this.release(sequence);
  }
}
