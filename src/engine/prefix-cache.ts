import type { KvMemoryOptions } from './engine.ts';
import type { KvMemory } from './kv-memory.ts';
import { knownTokens, type Sequence } from './sequence.ts';

/** Blocks by the id of what they hold; two shelves never share a block. */
export interface KvShelf {
  /** Null on a shelf that only one request sees. */
  readonly salt: string | null;
  readonly blocks: Map<string | number, KvBlock>;
}

/** One block of memory. */
export interface KvBlock {
  /** Sequences that hold it. */
  holders: number;
  /** Where it is filed; null while nobody could find it. */
  shelf: KvShelf | null;
  id: string | number;
  /** The next block with the same shelf and id: two requests may compute the same text at once. */
  twin: KvBlock | null;
  // Neighbours in the ring of free blocks, by the time they became free.
  older: KvBlock;
  newer: KvBlock;
}

/**
 * Memory whose full blocks can be found again, as vLLM's: filed when a step that will fill them is
 * planned (a later request of the same step may already share them), kept while nobody holds them,
 * reused in the order they became free, the tail of a sequence before its head.
 */
export class PrefixCache implements KvMemory {
  readonly #blockTokens: number;
  /** Blocks never used; they are the first to be taken. */
  #freshBlocks: number;
  /** Free blocks that were used: a ring through this mark, oldest first. */
  readonly #free = newBlock();
  readonly #shelves = new Map<string, KvShelf>();
  freeBlocks: number;

  constructor({ blocks, blockTokens }: KvMemoryOptions) {
    this.#blockTokens = blockTokens;
    this.#freshBlocks = blocks;
    this.freeBlocks = blocks;
  }

  find(sequence: Sequence): readonly KvBlock[] {
    const found: KvBlock[] = [];
    // The last token is always computed: it is the one that gives the next.
    const most = Math.floor((knownTokens(sequence) - 1) / this.#blockTokens);
    const { salt = '', blockIds = [] } = sequence.request.content ?? {};
    const shared = this.#shelves.get(salt);
    for (let at = 0; at < most; at += 1) {
      const block =
        at < blockIds.length
          ? shared?.blocks.get(blockIds[at] as string)
          : sequence.ownShelf?.blocks.get(at);
      if (block === undefined) break;
      found.push(block);
    }
    return found;
  }

  enter(
    sequence: Sequence,
    found: readonly KvBlock[],
    tokens: number,
    fullTokens: number,
  ): boolean {
    let needed = Math.ceil(Math.max(tokens, fullTokens) / this.#blockTokens) - found.length;
    // A found block that is free now stops being so, just as a new one does.
    for (const block of found) if (block.holders === 0) needed += 1;
    if (needed > this.freeBlocks) return false;
    for (const block of found) {
      if (block.holders === 0) this.#unfree(block);
      block.holders += 1;
      sequence.blocks.push(block);
    }
    sequence.filedBlocks = found.length;
    return this.grow(sequence, tokens);
  }

  grow(sequence: Sequence, tokens: number): boolean {
    const { blocks } = sequence;
    const missing = Math.ceil(tokens / this.#blockTokens) - blocks.length;
    if (missing > this.freeBlocks) return false;
    for (let taken = 0; taken < missing; taken += 1) blocks.push(this.#take());
    const full = Math.floor(tokens / this.#blockTokens);
    while (sequence.filedBlocks < full) this.#file(sequence);
    // One token less than there is room for while the last block is yet to be filed.
    const room = blocks.length * this.#blockTokens;
    sequence.roomTokens = full === blocks.length ? room : room - 1;
    return true;
  }

  release(sequence: Sequence): void {
    const { blocks } = sequence;
    const computed = Math.floor(sequence.computedTokens / this.#blockTokens);
    for (let at = blocks.length - 1; at >= 0; at -= 1) {
      const block = blocks[at] as KvBlock;
      // Filed for a step that will not be done (any more).
      if (at >= computed) unfile(block, this.#shelves);
      block.holders -= 1;
      if (block.holders === 0) this.#setFree(block);
    }
    blocks.length = 0;
    sequence.filedBlocks = 0;
    sequence.roomTokens = 0;
  }

  #take(): KvBlock {
    let block: KvBlock;
    if (this.#freshBlocks > 0) {
      this.#freshBlocks -= 1;
      this.freeBlocks -= 1;
      block = newBlock();
    } else {
      block = this.#free.newer;
      this.#unfree(block);
      unfile(block, this.#shelves);
    }
    block.holders = 1;
    return block;
  }

  /** Puts the first block of the sequence that is not filed where it can be found. */
  #file(sequence: Sequence): void {
    const at = sequence.filedBlocks;
    const { content } = sequence.request;
    const block = sequence.blocks[at] as KvBlock;
    const sharedId = content?.blockIds[at];
    if (content === undefined || sharedId === undefined) {
      sequence.ownShelf ??= { salt: null, blocks: new Map() };
      fileOn(sequence.ownShelf, at, block);
    } else {
      fileOn(this.#sharedShelf(content.salt), sharedId, block);
    }
    sequence.filedBlocks += 1;
  }

  #sharedShelf(salt: string): KvShelf {
    const known = this.#shelves.get(salt);
    if (known !== undefined) return known;
    const shelf: KvShelf = { salt, blocks: new Map() };
    this.#shelves.set(salt, shelf);
    return shelf;
  }

  #setFree(block: KvBlock): void {
    const newest = this.#free.older;
    block.older = newest;
    block.newer = this.#free;
    newest.newer = block;
    this.#free.older = block;
    this.freeBlocks += 1;
  }

  #unfree(block: KvBlock): void {
    block.older.newer = block.newer;
    block.newer.older = block.older;
    this.freeBlocks -= 1;
  }
}

function newBlock(): KvBlock {
  const block = { holders: 0, shelf: null, id: 0, twin: null } as unknown as KvBlock;
  block.older = block;
  block.newer = block;
  return block;
}

function fileOn(shelf: KvShelf, id: string | number, block: KvBlock): void {
  block.shelf = shelf;
  block.id = id;
  block.twin = null;
  let last = shelf.blocks.get(id);
  if (last === undefined) {
    shelf.blocks.set(id, block);
    return;
  }
  while (last.twin !== null) last = last.twin;
  last.twin = block;
}

function unfile(block: KvBlock, shelves: Map<string, KvShelf>): void {
  const { shelf, id } = block;
  if (shelf === null) return;
  block.shelf = null;
  let before = shelf.blocks.get(id) as KvBlock;
  if (before === block) {
    if (block.twin !== null) shelf.blocks.set(id, block.twin);
    else shelf.blocks.delete(id);
    if (shelf.blocks.size === 0 && shelf.salt !== null) shelves.delete(shelf.salt);
    return;
  }
  while (before.twin !== block) before = before.twin as KvBlock;
  before.twin = block.twin;
}
