/** Number of a block, from 1. */
export type KvBlock = number;

/** The place in the ring of free blocks that is no block: between the newest and the oldest. */
const MARK = 0;
const FIRST_CAPACITY = 1_024;

/**
 * Who holds which block, and the order in which free ones are taken: never used ones first, then
 * those free for the longest time. In columns of numbers, because a step touches blocks all over.
 */
export class BlockTable {
  /** Blocks nobody holds. */
  freeBlocks: number;
  readonly #blocks: number;
  /** Blocks that have been taken at least once: numbers 1 to this. */
  #usedBlocks = 0;
  #holders = new Int32Array(FIRST_CAPACITY);
  #uses = new Int32Array(FIRST_CAPACITY);
  /** Neighbours in the ring of free blocks, by the time they became free. */
  #older = new Int32Array(FIRST_CAPACITY);
  #newer = new Int32Array(FIRST_CAPACITY);

  constructor(blocks: number) {
    this.#blocks = blocks;
    this.freeBlocks = blocks;
  }

  isFree(block: KvBlock): boolean {
    return this.#holders[block] === 0;
  }

  /** How often the block was taken: who held it once can tell whether it still holds the same. */
  uses(block: KvBlock): number {
    return this.#uses[block] as number;
  }

  /** A free block, with one holder and whatever was in it. There must be one. */
  take(): KvBlock {
    const isFresh = this.#usedBlocks < this.#blocks;
    const block = isFresh ? this.#freshBlock() : (this.#newer[MARK] as number);
    if (!isFresh) this.#leaveRing(block);
    this.freeBlocks -= 1;
    this.#holders[block] = 1;
    this.#uses[block] = (this.#uses[block] as number) + 1;
    return block;
  }

  /** One holder more. */
  hold(block: KvBlock): void {
    const holders = this.#holders[block] as number;
    if (holders === 0) {
      this.#leaveRing(block);
      this.freeBlocks -= 1;
    }
    this.#holders[block] = holders + 1;
  }

  /** One holder less. */
  letGo(block: KvBlock): void {
    const holders = (this.#holders[block] as number) - 1;
    this.#holders[block] = holders;
    if (holders > 0) return;
    this.freeBlocks += 1;
    const newest = this.#older[MARK] as number;
    this.#older[block] = newest;
    this.#newer[block] = MARK;
    this.#newer[newest] = block;
    this.#older[MARK] = block;
  }
  #freshBlock(): KvBlock {
    this.#usedBlocks += 1;
    if (this.#usedBlocks === this.#holders.length) {
      this.#holders = widened(this.#holders);
      this.#uses = widened(this.#uses);
      this.#older = widened(this.#older);
      this.#newer = widened(this.#newer);
    }
    return this.#usedBlocks;
  }

  #leaveRing(block: KvBlock): void {
    const older = this.#older[block] as number;
    const newer = this.#newer[block] as number;
    this.#newer[older] = newer;
    this.#older[newer] = older;
  }
}

function widened(column: Int32Array): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(column.length * 2);
  wider.set(column);
  return wider;
}
