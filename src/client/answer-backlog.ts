/** Bytes of one answer that came and are not read yet. */
import type { AnswerReader, ReaderState } from '../wire/index.ts';

/** Some twenty chunks of a chat: enough that what reading an answer costs once is shared by many. */
const MEMORY_BYTES = 8_192;
const MOST_PIECES = 64;
/** Of a piece: where it ends, when it came, and with which read. */
const MARK_NUMBERS = 3;
const MARKS_BYTES = MOST_PIECES * MARK_NUMBERS * Float64Array.BYTES_PER_ELEMENT;

/** Keeps pieces as they came, each with its stamp, so that reading them later gives the same. */
export class AnswerBacklog {
  readonly #marks: Float64Array;
  readonly #bytes: Buffer;
  #pieces = 0;
  #length = 0;

  constructor() {
    const memory = new ArrayBuffer(MEMORY_BYTES);
    this.#marks = new Float64Array(memory, 0, MOST_PIECES * MARK_NUMBERS);
    this.#bytes = Buffer.from(memory, MARKS_BYTES);
  }

  get isEmpty(): boolean {
    return this.#pieces === 0;
  }

  /** Whether it should be read soon, before it can take no more. */
  get isNearlyFull(): boolean {
    return 4 * this.#length > 3 * this.#bytes.length || 4 * this.#pieces > 3 * MOST_PIECES;
  }

  /** Keeps the bytes `from` … `to`; `false` where there is no room for them. */
  add(memory: Buffer, from: number, to: number, atNs: number, readId: number): boolean {
    const end = this.#length + to - from;
    if (end > this.#bytes.length || this.#pieces === MOST_PIECES) return false;
    memory.copy(this.#bytes, this.#length, from, to);
    const mark = this.#pieces * MARK_NUMBERS;
    this.#marks[mark] = end;
    this.#marks[mark + 1] = atNs;
    this.#marks[mark + 2] = readId;
    this.#pieces += 1;
    this.#length = end;
    return true;
  }

  /**
   * Hands over all pieces, or those up to the one after which the reader wants no more, and is empty
   * then. Returns how many bytes came after that one.
   */
  readInto(reader: AnswerReader): number {
    const marks = this.#marks;
    let from = 0;
    let state: ReaderState = 'open';
    for (let piece = 0; piece < this.#pieces && state === 'open'; piece += 1) {
      const mark = piece * MARK_NUMBERS;
      const to = marks[mark] as number;
      const [atNs, readId] = [marks[mark + 1] as number, marks[mark + 2] as number];
      state = reader.push(this.#bytes, atNs, readId, from, to);
      from = to;
    }
    const unreadBytes = this.#length - from;
    this.#pieces = 0;
    this.#length = 0;
    return unreadBytes;
  }
}
