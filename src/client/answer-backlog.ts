/** Bytes of answers that came and are not read yet. */
import type { AnswerReader, ReaderState } from '../wire/index.ts';

/** Some twenty chunks of a chat: enough that what reading an answer costs once is shared by many. */
const BACKLOG_BYTES = 8_192;
const MOST_PIECES = 64;
/** Of a piece: where it ends, when it came, and with which read. */
const MARK_NUMBERS = 3;
const BACKLOG_MARKS = MOST_PIECES * MARK_NUMBERS;
/** Backlogs that share one piece of memory: what finds its way to it stays in the caches. */
const SLAB_BACKLOGS = 64;

/** New backlogs, empty. */
export function makeBacklogs(): AnswerBacklog[] {
  const bytes = Buffer.allocUnsafeSlow(SLAB_BACKLOGS * BACKLOG_BYTES);
  const marks = new Float64Array(SLAB_BACKLOGS * BACKLOG_MARKS);
  return Array.from(
    { length: SLAB_BACKLOGS },
    (_, place) => new AnswerBacklog(bytes, marks, place),
  );
}

/** Keeps pieces of one answer as they came, each with its stamp: read later they are the same. */
export class AnswerBacklog {
  readonly #bytes: Buffer;
  readonly #marks: Float64Array;
  /** Where its part of both begins. */
  readonly #bytesFrom: number;
  readonly #marksFrom: number;
  #bytesTo: number;
  #marksTo: number;

  constructor(bytes: Buffer, marks: Float64Array, place: number) {
    this.#bytes = bytes;
    this.#marks = marks;
    this.#bytesFrom = place * BACKLOG_BYTES;
    this.#marksFrom = place * BACKLOG_MARKS;
    this.#bytesTo = this.#bytesFrom;
    this.#marksTo = this.#marksFrom;
  }

  get isEmpty(): boolean {
    return this.#marksTo === this.#marksFrom;
  }

  /** Whether it should be read soon, before it can take no more. */
  get isNearlyFull(): boolean {
    return (
      this.#bytesTo - this.#bytesFrom > 0.75 * BACKLOG_BYTES ||
      this.#marksTo - this.#marksFrom > 0.75 * BACKLOG_MARKS
    );
  }

  /** Keeps the bytes `from` … `to`; `false` where there is no room for them. */
  add(memory: Buffer, from: number, to: number, atNs: number, readId: number): boolean {
    const end = this.#bytesTo + to - from;
    const mark = this.#marksTo;
    if (end > this.#bytesFrom + BACKLOG_BYTES || mark === this.#marksFrom + BACKLOG_MARKS) {
      return false;
    }
    memory.copy(this.#bytes, this.#bytesTo, from, to);
    this.#marks[mark] = end;
    this.#marks[mark + 1] = atNs;
    this.#marks[mark + 2] = readId;
    this.#marksTo = mark + MARK_NUMBERS;
    this.#bytesTo = end;
    return true;
  }

  /**
   * Hands over all pieces, or those up to the one after which the reader wants no more, and is empty
   * then. Returns how many bytes came after that one.
   */
  readInto(reader: AnswerReader): number {
    const marks = this.#marks;
    let from = this.#bytesFrom;
    let state: ReaderState = 'open';
    for (
      let mark = this.#marksFrom;
      mark < this.#marksTo && state === 'open';
      mark += MARK_NUMBERS
    ) {
      const to = marks[mark] as number;
      state = reader.push(
        this.#bytes,
        marks[mark + 1] as number,
        marks[mark + 2] as number,
        from,
        to,
      );
      from = to;
    }
    const unreadBytes = this.#bytesTo - from;
    this.#marksTo = this.#marksFrom;
    this.#bytesTo = this.#bytesFrom;
    return unreadBytes;
  }
}
