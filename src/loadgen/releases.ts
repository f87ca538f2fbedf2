/**
 * Which request is due when. Open-loop requests are due at their instant; a user's next one when
 * the one before has ended and the user has thought; a slot's next one when the slot is free; a
 * session's next one when all it waits for has completed, unless the session is over.
 * Knows nothing of clocks or sending: it is told when a request ended and asked what is due.
 */
import type { Release, Schedule, ScheduledRequest } from '../workload/index.ts';
import { type Due, DueQueue } from './due-queue.ts';

interface Waiting {
  readonly request: ScheduledRequest;
  readonly thinkNs: number;
  /** Of a turn: what it still waits for, counted down, and the latest end so far with its think time. */
  readonly join: { left: number; dueNs: number } | null;
}

/** A request due at an instant of its own. */
type Arrival = ScheduledRequest & { readonly release: Extract<Release, { kind: 'at' }> };

export class Releases {
  readonly #due = new DueQueue();
  /** By the index of the request that must end first. */
  readonly #waiting = new Map<number, Waiting[]>();
  /** Sessions of which a turn has not completed: none of their turns starts any more. */
  readonly #overSessions = new Set<string>();
  readonly #waitingForSlot: ScheduledRequest[] = [];
  #slotCursor = 0;
  /** Requests due at an instant, in order of it; only the next one stands in the queue. */
  readonly #arrivals: Arrival[] = [];
  #arrivalCursor = 0;
  readonly #startNs: number;

  constructor(schedule: Schedule, startNs: number) {
    this.#startNs = startNs;
    for (const request of schedule.requests) {
      const { release } = request;
      if (release.kind === 'slot') this.#waitingForSlot.push(request);
      else if (release.kind === 'at') this.#arrivals.push(request as Arrival);
      else if (release.kind === 'turn') this.#waitForAll(request, release);
      else if (release.index === null)
        this.#due.push({ request, plannedNs: startNs + release.thinkNs });
      else this.#wait(release.index, { request, thinkNs: release.thinkNs, join: null });
    }
    this.#arrivals.sort((a, b) => a.release.atNs - b.release.atNs);
    this.#queueArrival();
    for (let slot = 0; slot < (schedule.slots ?? 0); slot += 1) this.#fillSlot(startNs);
  }

  /** The next request with a known planned instant; `null` when none has one (yet). */
  next(): Due | null {
    for (;;) {
      const first = this.#due.peek();
      if (first === null || !this.isOver(first.request)) return first;
      this.#due.pop();
    }
  }

  /** Removes and returns the next request if it is due at `nowNs` and before `stopNs`. */
  takeDue(nowNs: number, stopNs: number): Due | null {
    const first = this.next();
    if (first === null || first.plannedNs > nowNs || first.plannedNs >= stopNs) return null;
    this.#due.pop();
    if (first.request.release.kind === 'at') this.#queueArrival();
    return first;
  }

  /**
   * Releases whatever waited for `request`, which ended, or was dropped, at `endedNs`. A session is
   * over with the first of its turns that is not `completed`: who got no answer cannot go on from it.
   */
  ended(request: ScheduledRequest, endedNs: number, completed: boolean): void {
    if (!completed && request.session !== null) this.#overSessions.add(request.session);
    for (const { request: next, thinkNs, join } of this.#waiting.get(request.index) ?? []) {
      let plannedNs = endedNs + thinkNs;
      if (join !== null) {
        join.left -= 1;
        join.dueNs = Math.max(join.dueNs, plannedNs);
        if (join.left > 0) continue;
        plannedNs = join.dueNs;
      }
      this.#due.push({ request: next, plannedNs });
    }
    this.#waiting.delete(request.index);
    if (request.release.kind === 'slot') this.#fillSlot(endedNs);
  }

  /** Whether `request` is a turn that never comes, because one before it did not complete. */
  isOver({ release, session }: ScheduledRequest): boolean {
    return release.kind === 'turn' && session !== null && this.#overSessions.has(session);
  }

  #waitForAll(
    request: ScheduledRequest,
    { after, notBeforeNs }: Extract<Release, { kind: 'turn' }>,
  ): void {
    const join = { left: after.length, dueNs: this.#startNs + notBeforeNs };
    for (const { index, thinkNs } of after) this.#wait(index, { request, thinkNs, join });
  }

  /** Puts the next arrival into the queue. */
  #queueArrival(): void {
    const request = this.#arrivals[this.#arrivalCursor];
    if (request === undefined) return;
    this.#arrivalCursor += 1;
    this.#due.push({ request, plannedNs: this.#startNs + request.release.atNs });
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
