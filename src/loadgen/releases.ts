/**
 * Which request is due when. Open-loop requests are due at their instant; a user's next one when
 * the one before has ended and the user has thought; a slot's next one when the slot is free.
 * Knows nothing of clocks or sending: it is told when a request ended and asked what is due.
 */
import type { Schedule, ScheduledRequest } from '../workload/index.ts';
import { type Due, DueQueue } from './due-queue.ts';

interface Waiting {
  readonly request: ScheduledRequest;
  readonly thinkNs: number;
}

export class Releases {
  readonly #due = new DueQueue();
  /** By the index of the request that must end first. */
  readonly #waiting = new Map<number, Waiting[]>();
  readonly #waitingForSlot: ScheduledRequest[] = [];
  #slotCursor = 0;

  constructor(schedule: Schedule, startNs: number) {
    for (const request of schedule.requests) {
      const { release } = request;
      if (release.kind === 'slot') this.#waitingForSlot.push(request);
      else if (release.kind === 'at')
        this.#due.push({ request, plannedNs: startNs + release.atNs });
      else if (release.index === null)
        this.#due.push({ request, plannedNs: startNs + release.thinkNs });
      else this.#wait(release.index, { request, thinkNs: release.thinkNs });
    }
    for (let slot = 0; slot < (schedule.slots ?? 0); slot += 1) this.#fillSlot(startNs);
  }

  /** The next request with a known planned instant; `null` when none has one (yet). */
  next(): Due | null {
    return this.#due.peek();
  }

  /** Removes and returns the next request if it is due at `nowNs` and before `stopNs`. */
  takeDue(nowNs: number, stopNs: number): Due | null {
    const first = this.#due.peek();
    if (first === null || first.plannedNs > nowNs || first.plannedNs >= stopNs) return null;
    return this.#due.pop();
  }

  /** Releases whatever waited for `request`, which ended, or was dropped, at `endedNs`. */
  ended(request: ScheduledRequest, endedNs: number): void {
    for (const next of this.#waiting.get(request.index) ?? []) {
      this.#due.push({ request: next.request, plannedNs: endedNs + next.thinkNs });
    }
    this.#waiting.delete(request.index);
    if (request.release.kind === 'slot') this.#fillSlot(endedNs);
  }

  #wait(index: number, waiting: Waiting): void {
    const others = this.#waiting.get(index);
    if (others === undefined) this.#waiting.set(index, [waiting]);
    else others.push(waiting);
  }

  #fillSlot(atNs: number): void {
    const request = this.#waitingForSlot[this.#slotCursor];
    if (request === undefined) return;
    this.#slotCursor += 1;
    this.#due.push({ request, plannedNs: atNs });
  }
}
