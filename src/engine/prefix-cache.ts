import { BlockTable, type KvBlock } from './block-table.ts';
import type { KvMemoryOptions, SequenceContent } from './engine.ts';
import type { KvMemory } from './kv-memory.ts';
import { knownTokens, type Sequence } from './sequence.ts';

/** The blocks of one salt by the id of what they hold; of twins, the one filed first. */
interface Shelf {
  readonly salt: string;
  readonly blocks: Map<string, KvBlock>;
}

/** Where a block is filed. */
interface Filing {
  readonly shelf: Shelf;
  readonly id: string;
  /** The next block with the same content: two requests may compute the same text at once. */
  twin: KvBlock | null;
}

/**
 * Memory whose full blocks can be found again, as vLLM's: filed when a step that will fill them is
 * planned (a later request of the same step may already share them), kept while nobody holds them,
 * reused in the order they became free, the tail of a sequence before its head. Blocks without an
 * id are like no other request's; only who lost them to a preemption finds them again.
 */
export class PrefixCache implements KvMemory {
  readonly #blockTokens: number;
  readonly #table: BlockTable;
  readonly #shelves = new Map<string, Shelf>();
  /** By block; null or beyond the end: not filed. */
  readonly #filings: (Filing | null)[] = [null];

  constructor({ blocks, blockTokens }: KvMemoryOptions) {
    this.#blockTokens = blockTokens;
    this.#table = new BlockTable(blocks);
  }

  get freeBlocks(): number {
    return this.#table.freeBlocks;
  }

  find(sequence: Sequence): readonly KvBlock[] {
    const found: KvBlock[] = [];
    // The last token is always computed: it is the one that gives the next.
    const most = Math.floor((knownTokens(sequence) - 1) / this.#blockTokens);
    const { salt = '', blockIds = [] } = sequence.request.content ?? {};
    const shared = this.#shelves.get(salt);
    for (let at = 0; at < most; at += 1) {
      const id = blockIds[at];
      const block = id === undefined ? this.#lostBlock(sequence, at) : shared?.blocks.get(id);
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
    for (const block of found) if (this.#table.isFree(block)) needed += 1;
    if (needed > this.freeBlocks) return false;
    for (const block of found) {
      this.#table.hold(block);
      sequence.blocks.push(block);
    }
    sequence.filedBlocks = found.length;
    return this.grow(sequence, tokens);
  }

  grow(sequence: Sequence, tokens: number): boolean {
    const { blocks } = sequence;
    const missing = Math.ceil(tokens / this.#blockTokens) - blocks.length;
    if (missing > this.freeBlocks) return false;
    for (let taken = 0; taken < missing; taken += 1) {
      const block = this.#table.take();
      this.#unfile(block);
      blocks.push(block);
    }
    const { content } = sequence.request;
    let isAllFiled = true;
    if (content !== undefined) {
      const full = Math.floor(tokens / this.#blockTokens);
      this.#fileUpTo(Math.min(full, content.blockIds.length), sequence, content);
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
      if (at >= computed) this.#unfile(block);
      this.#table.letGo(block);
    }
    blocks.length = 0;
    sequence.filedBlocks = 0;
    sequence.roomTokens = 0;
  }

  preempt(sequence: Sequence): void {
    const full = sequence.blocks.slice(0, this.#computedBlocks(sequence));
    sequence.lostBlocks = full.map((block) => ({ block, use: this.#table.uses(block) }));
    this.release(sequence);
  }

  #computedBlocks({ computedTokens }: Sequence): number {
    return Math.floor(computedTokens / this.#blockTokens);
  }

  /** A block the sequence lost, while nobody has taken it since. */
  #lostBlock({ lostBlocks }: Sequence, at: number): KvBlock | undefined {
    const lost = lostBlocks[at];
    return lost !== undefined && this.#table.uses(lost.block) === lost.use ? lost.block : undefined;
  }

  /** Puts the leading blocks of the sequence, so many, where they can be found. */
  #fileUpTo(count: number, sequence: Sequence, { salt, blockIds }: SequenceContent): void {
    for (; sequence.filedBlocks < count; sequence.filedBlocks += 1) {
      const at = sequence.filedBlocks;
      this.#file(sequence.blocks[at] as KvBlock, salt, blockIds[at] as string);
    }
  }

  #file(block: KvBlock, salt: string, id: string): void {
    let shelf = this.#shelves.get(salt);
    if (shelf === undefined) {
      shelf = { salt, blocks: new Map() };
      this.#shelves.set(salt, shelf);
    }
    this.#filings[block] = { shelf, id, twin: null };
    const first = shelf.blocks.get(id);
    if (first === undefined) {
      shelf.blocks.set(id, block);
      return;
    }
    let last = this.#filings[first] as Filing;
    while (last.twin !== null) last = this.#filings[last.twin] as Filing;
    last.twin = block;
  }

  #unfile(block: KvBlock): void {
    // Blocks are first taken in the order of their numbers, so this appends at most.
    const filing = this.#filings[block] ?? null;
    this.#filings[block] = null;
    if (filing === null) return;
    const { shelf, id, twin } = filing;
    const first = shelf.blocks.get(id) as KvBlock;
    if (first === block) {
      if (twin !== null) shelf.blocks.set(id, twin);
      else shelf.blocks.delete(id);
      if (shelf.blocks.size === 0) this.#shelves.delete(shelf.salt);
      return;
    }
    let before = this.#filings[first] as Filing;
    while (before.twin !== block) before = this.#filings[before.twin as KvBlock] as Filing;
    before.twin = twin;
  }
}
