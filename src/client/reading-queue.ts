/** When answers are read: after the reads of a turn of the event loop, never between two of them. */
import { NS_PER_MS, type Clock } from '../base/index.ts';
import { makeBacklogs, type AnswerBacklog } from './answer-backlog.ts';

/** An answer that may have a backlog. */
export interface WaitingAnswer {
  /** Reads what has come. */
  readWaiting(): void;
}

/** No socket waits longer than this for its stamp because answers are being read. */
const SLICE_NS = 0.25 * NS_PER_MS;
/** Nothing waits longer than this to be read, but for the slices of those before it. */
const SWEEP_MS = 800;

/**
 * A stamp is as old as what was done between the arrival and it. So answers are not read as their
 * bytes come, but later and many pieces at a time, which costs less as well: by then what is known
 * of the answer has left the processor's caches, and comes back once for all of them.
 */
export class ReadingQueue {
  readonly #clock: Clock;
  readonly #answers = new Set<WaitingAnswer>();
  readonly #spare: AnswerBacklog[] = [];
  /** To be read after the reads of this turn; those before `#soonFrom` were. */
  #soon: WaitingAnswer[] = [];
  #soonFrom = 0;
  #isSliceDue = false;
  #isSweepDue = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A backlog for `answer`, which is read from time to time until {@link leave}. */
  join(answer: WaitingAnswer): AnswerBacklog {
    this.#answers.add(answer);
    this.#armSweep();
    if (this.#spare.length === 0) this.#spare.push(...makeBacklogs());
    return this.#spare.pop() as AnswerBacklog;
  }

  /** Gives the backlog back, empty. */
  leave(answer: WaitingAnswer, backlog: AnswerBacklog): void {
    this.#answers.delete(answer);
    this.#spare.push(backlog);
  }

  /** `answer` should be read before long. */
  hurry(answer: WaitingAnswer): void {
    this.#soon.push(answer);
    this.#armSlice();
  }

  #armSlice(): void {
    if (this.#isSliceDue) return;
    this.#isSliceDue = true;
    setImmediate(() => this.#readSlice());
  }

  #readSlice(): void {
    this.#isSliceDue = false;
    const untilNs = this.#clock.nowNs() + SLICE_NS;
    while (this.#soonFrom < this.#soon.length) {
      this.#soon[this.#soonFrom]?.readWaiting();
      this.#soonFrom += 1;
      if (this.#clock.nowNs() < untilNs) continue;
      this.#armSlice();
      return;
    }
    this.#soon = [];
    this.#soonFrom = 0;
  }

  /** What waits has an open socket, so its timer keeps no process alive. */
  #armSweep(): void {
    if (this.#isSweepDue) return;
    this.#isSweepDue = true;
    setTimeout(() => this.#sweep(), SWEEP_MS).unref();
  }

  #sweep(): void {
    this.#isSweepDue = false;
    if (this.#answers.size === 0) return;
    for (const answer of this.#answers) this.#soon.push(answer);
    this.#armSlice();
    this.#armSweep();
  }
}
