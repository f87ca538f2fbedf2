import type { KvMemoryOptions, SequenceContent } from './engine.ts';
import type { KvMemory } from './kv-memory.ts';
import { knownTokens, type Sequence } from './sequence.ts';

/** The blocks of one salt by the id of what they hold. */
interface Shelf {
  readonly salt: string;
  readonly blocks: Map<string, KvBlock>;
}

/** One block of memory. */
export interface KvBlock {
  /** Sequences that hold it. */
  holders: number;
  /** How often it was taken: who held it once can tell whether it still holds the same. */
  use: number;
  /** Where it is filed; null when it is not. */
  shelf: Shelf | null;
  id: string;
  /** The next block with the same shelf and id: two requests may compute the same text at once. */
  twin: KvBlock | null;
  // Neighbours in the ring of free blocks, by the time they became free.
  older: KvBlock;
  newer: KvBlock;
}

/**
 * Memory whose full blocks can be found again, as vLLM's: filed when a step that will fill them is
 * planned (a later request of the same step may already share them), kept while nobody holds them,
 * reused in the order they became free, the tail of a sequence before its head. Blocks without an
 * id are like no other request's; only who lost them to a preemption finds them again.
 */
export class PrefixCache implements KvMemory {
  readonly #blockTokens: number;
  /** Blocks never used; they are the first to be taken. */
  #freshBlocks: number;
  /** Free blocks that were used: a ring through this mark, oldest first. */
  readonly #free = newBlock();
  readonly #shelves = new Map<string, Shelf>();
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
      const id = blockIds[at];
      const block = id === undefined ? lostBlock(sequence, at) : shared?.blocks.get(id);
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
    const { content } = sequence.request;
    let isAllFiled = true;
    if (content !== undefined) {
      const full = Math.floor(tokens / this.#blockTokens);
      const most = Math.min(full, content.blockIds.length);
      while (sequence.filedBlocks < most) this.#file(sequence, content);
      isAllFiled = sequence.filedBlocks === Math.min(blocks.length, content.blockIds.length);
    }
    // One token less than there is room for while the last block is yet to be filed.
    const roomTokens = blocks.length * this.#blockTokens;
    sequence.roomTokens = isAllFiled ? roomTokens : roomTokens - 1;
    return true;
  }

  release(sequence: Sequence): void {
    const { blocks } = sequence;
    const computed = this.#computedBlocks(sequence);
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

  preempt(sequence: Sequence): void {
    const full = sequence.blocks.slice(0, this.#computedBlocks(sequence));
    sequence.lostBlocks = full.map((block) => ({ block, use: block.use }));
    this.release(sequence);
  }

  #computedBlocks({ computedTokens }: Sequence): number {
    return Math.floor(computedTokens / this.#blockTokens);
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
    block.use += 1;
    return block;
  }

  /** Puts the first block of the sequence that is not filed where it can be found. */
  #file(sequence: Sequence, { salt, blockIds }: SequenceContent): void {
    const at = sequence.filedBlocks;
    fileOn(this.#shelfOf(salt), blockIds[at] as string, sequence.blocks[at] as KvBlock);
    sequence.filedBlocks += 1;
  }

  #shelfOf(salt: string): Shelf {
    const known = this.#shelves.get(salt);
    if (known !== undefined) return known;
    const shelf: Shelf = { salt, blocks: new Map() };
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
  const block = { holders: 0, use: 0, shelf: null, id: '', twin: null } as unknown as KvBlock;
  block.older = block;
  block.newer = block;
  return block;
}

/** A block the sequence lost, while nobody has taken it since. */
function lostBlock({ lostBlocks }: Sequence, at: number): KvBlock | undefined {
  const lost = lostBlocks[at];
  return lost !== undefined && lost.block.use === lost.use ? lost.block : undefined;
}

function fileOn(shelf: Shelf, id: string, block: KvBlock): void {
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

function unfile(block: KvBlock, shelves: Map<string, Shelf>): void {
  const { shelf, id } = block;
  if (shelf === null) return;
  block.shelf = null;
  let before = shelf.blocks.get(id) as KvBlock;
  if (before === block) {
    if (block.twin !== null) shelf.blocks.set(id, block.twin);
    else shelf.blocks.delete(id);
    if (shelf.blocks.size === 0) shelves.delete(shelf.salt);
    return;
  }
  while (before.twin !== block) before = before.twin as KvBlock;
  before.twin = block.twin;
}
