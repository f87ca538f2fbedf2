/**
 * The tries of a load point: which request is tried again and when. Above the send port, which makes
 * one try; below the schedule, which knows only requests.
 */
import type { SendResult } from '../record/index.ts';
import type { RetryPolicy, ScheduledRequest } from '../workload/index.ts';
import { type Due, DueQueue } from './due-queue.ts';
import { waitBeforeNextTryNs } from './next-try.ts';

/** A try and when it is due: the first of its request, or a later one. */
export interface DueTry extends Due {
  /** 1 for the first. */
  readonly attempt: number;
  /** When the request itself was due. */
  readonly firstPlannedNs: number;
}

/** The first try of a request that is due. */
export function firstTry(due: Due): DueTry {
  return { ...due, attempt: 1, firstPlannedNs: due.plannedNs };
}

/** Later tries that wait for their instant. Knows nothing of clocks or sending. */
export class Tries {
  readonly #policy: RetryPolicy | null;
  readonly #pointIndex: number;
  readonly #waiting = new DueQueue<DueTry>();
  #isOpen = true;

  constructor(policy: RetryPolicy | null, pointIndex: number) {
    this.#policy = policy;
    this.#pointIndex = pointIndex;
  }

  /** Whether any request may be tried again. */
  get isOpen(): boolean {
    return this.#policy !== null && this.#isOpen;
  }

  /** Requests between two tries. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** When a try of a request due at `firstPlannedNs` must have ended; `null` = the policy sets no bound. */
  deadlineNs(firstPlannedNs: number): number | null {
    const within = this.#policy?.deadlineNs ?? null;
    return within === null ? null : firstPlannedNs + within;
  }

  /** The try that the policy has follow one that ended at `endedNs`; `null` = that was the last. */
  after(ended: DueTry, result: SendResult, endedNs: number): DueTry | null {
    if (this.#policy === null) return null;
    const { request, attempt, firstPlannedNs } = ended;
    const place = { pointIndex: this.#pointIndex, requestIndex: request.index, attempt };
    const waitNs = waitBeforeNextTryNs(this.#policy, { ...place, result });
    if (waitNs === null) return null;
    const plannedNs = endedNs + waitNs;
    const deadlineNs = this.deadlineNs(firstPlannedNs);
    if (deadlineNs !== null && plannedNs >= deadlineNs) return null;
    return { request, plannedNs, attempt: attempt + 1, firstPlannedNs };
  }

  /** Whether `next` will come; it will not once tries are closed. */
  plan(next: DueTry): boolean {
    if (this.#isOpen) this.#waiting.push(next);
    return this.#isOpen;
  }

  next(): DueTry | null {
    return this.#waiting.peek();
  }

  /** Removes and returns the next try if it is due at `nowNs`. */
  takeDue(nowNs: number): DueTry | null {
    const first = this.#waiting.peek();
    return first === null || first.plannedNs > nowNs ? null : this.#waiting.pop();
  }

  /** Ends all tries to come; returns the requests that waited for one. */
  close(): readonly ScheduledRequest[] {
    this.#isOpen = false;
    const left: ScheduledRequest[] = [];
    for (let due = this.#waiting.pop(); due !== null; due = this.#waiting.pop()) {
      left.push(due.request);
    }
    return left;
  }
}
