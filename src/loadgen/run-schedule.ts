/** The load generator: obeys a schedule and accounts for every request in it. */
import { assert, InvariantError, NS_PER_SECOND } from '../base/index.ts';
import type { DropReason, OutgoingRequest, SendResult } from '../record/index.ts';
import type { ScheduledRequest } from '../workload/index.ts';
import { Alarms } from './alarms.ts';
import type {
  PointCounts,
  PointOptions,
  PointOutcome,
  PreparedRequest,
  StopReason,
} from './point.ts';
import {
  droppedRecord,
  faultResult,
  notReachedRecord,
  sentRecord,
  type StartedRequest,
  tryIdsOf,
  type TryIds,
} from './point-records.ts';
import { PlaceRecords } from './place-records.ts';
import { Releases } from './releases.ts';
import { type DueTry, firstTry, Tries } from './tries.ts';

/** A send port that has not ended a try this long after its cancellation never will. */
const CANCEL_GRACE_NS = 5 * NS_PER_SECOND;
const PROGRESS_INTERVAL_NS = NS_PER_SECOND / 4;

/**
 * Runs one load point and gives every try of every request of its schedule exactly one record.
 * Without a retry policy a request is tried once.
 *
 * All due requests are fired: a late generator catches up and never shifts the schedule, so its
 * lateness shows as dispatched − planned. At the stop instant whatever is due is fired, then none
 * starts; the rest drains, later tries included, or is cancelled, in drain limit + 5 s at most.
 *
 * Errors: whatever `onRecord` failed with; {@link InvariantError} when `prepare` or the send port
 * broke its contract. Both after all other records were handed on.
 */
export function runSchedule(options: PointOptions): Promise<PointOutcome> {
  return new PointRun(options).run();
}

interface Flight extends StartedRequest {
  readonly due: DueTry;
  readonly canceller: AbortController;
}

/** A try made before it is due. */
interface ReadyTry extends TryIds {
  readonly request: ScheduledRequest;
  readonly prepared: PreparedRequest;
}

class PointRun {
  readonly #options: PointOptions;
  readonly #releases: Releases;
  readonly #flights = new Map<number, Flight>();
  readonly #tries: Tries;
  readonly #records: PlaceRecords;
  readonly #dropped: Record<DropReason, number> = {
    ceiling: 0,
    late: 0,
    budget: 0,
    generatorLost: 0,
  };
  readonly #alarms: Alarms;
  #stopNs: number;
  #stopReason: StopReason | null = null;
  #ready: ReadyTry | null = null;
  #disarm: () => void = () => {};
  #allEnded: () => void = () => {};
  #cancelling = false;
  #ended = 0;
  #started = 0;
  #notReached = 0;
  #inFlightMax = 0;
  #lagMaxNs: number | null = null;
  #lastPlannedNs = 0;
  #failure: { readonly error: unknown } | null = null;

  constructor(options: PointOptions) {
    const { schedule, maxInFlight, startNs, retry, template, onRecord } = options;
    assert(
      (schedule.slots ?? 0) <= maxInFlight,
      `${schedule.slots} slots cannot be kept under a ceiling of ${maxInFlight} in flight`,
    );
    this.#options = options;
    this.#alarms = new Alarms(options.clock);
    this.#releases = new Releases(schedule, startNs);
    this.#tries = new Tries(retry, template.pointIndex);
    const onFailure = (error: unknown): void => this.#fail(error);
    this.#records = new PlaceRecords({ schedule, onRecord, onFailure });
    this.#stopNs = startNs + schedule.stopNs;
  }

  async run(): Promise<PointOutcome> {
    const { stopStarts, cancelAll, startNs, clock, onProgress } = this.#options;
    const stop = (): void => {
      this.#close('interrupted');
      if (this.#tries.isOpen && this.#openTries > 0) this.#cutTries();
    };
    const cancel = (): void => {
      this.#close('interrupted');
      // Cutting the drain short also interrupts, though no start was lost by it.
      if (this.#openTries > 0) this.#stopReason = 'interrupted';
      this.#cancelTries();
    };
    stopStarts.addEventListener('abort', stop);
    cancelAll.addEventListener('abort', cancel);
    await new Promise<void>((resolve) => {
      this.#allEnded = resolve;
      this.#alarms.at(this.#stopNs, () => {
        this.#fireDue();
        this.#close('duration');
      });
      if (onProgress !== null) {
        this.#alarms.every(PROGRESS_INTERVAL_NS, startNs + PROGRESS_INTERVAL_NS, (atNs) =>
          onProgress({ atNs, counts: this.#counts() }),
        );
      }
      if (cancelAll.aborted) cancel();
      else if (stopStarts.aborted) stop();
      else this.#fireDue();
    });
    const endNs = clock.nowNs();
    stopStarts.removeEventListener('abort', stop);
    cancelAll.removeEventListener('abort', cancel);
    this.#disarm();
    this.#alarms.takeDown();

    const stopReason = this.#finalStopReason();
    await this.#recordNotReached();
    await this.#records.flush();
    if (this.#failure !== null) throw this.#failure.error;
    return {
      startNs,
      stopNs: stopReason === 'requests' ? this.#lastPlannedNs + 1 : this.#stopNs,
      endNs,
      stopReason,
      partial: stopReason === 'interrupted' || stopReason === 'budget',
      counts: this.#counts(),
      inFlightMax: this.#inFlightMax,
      lagMaxNs: this.#lagMaxNs,
    };
  }

  #finalStopReason(): StopReason {
    if (this.#stopReason !== null && this.#stopReason !== 'duration') return this.#stopReason;
    const openLoop = this.#options.schedule.requests.every(
      ({ release }) => release.kind === 'at' || release.kind === 'turn',
    );
    return openLoop || this.#records.openCount > 0 ? 'duration' : 'requests';
  }

  /** In flight, or to follow a try that failed. */
  get #openTries(): number {
    return this.#flights.size + this.#tries.waitingCount;
  }

  /** Fires every due try, then sleeps until the next. Ends the run when none can follow. */
  #fireDue(): void {
    const { clock } = this.#options;
    for (let due = this.#takeDue(); due !== null; due = this.#takeDue()) {
      this.#start(due, clock.nowNs());
    }
    if (this.#dropped.budget > 0) this.#close('budget');
    this.#sleepUntilNext();
  }

  /** A later try, which somebody waits for already, before a first one. */
  #takeDue(): DueTry | null {
    const nowNs = this.#options.clock.nowNs();
    const later = this.#tries.takeDue(nowNs);
    if (later !== null || this.#stopReason !== null) return later;
    const first = this.#releases.takeDue(nowNs, this.#stopNs);
    return first === null ? null : firstTry(first);
  }

  #next(): DueTry | null {
    const later = this.#tries.next();
    const first = this.#stopReason === null ? this.#releases.next() : null;
    if (first === null || first.plannedNs >= this.#stopNs) return later;
    return later !== null && later.plannedNs <= first.plannedNs ? later : firstTry(first);
  }

  #sleepUntilNext(): void {
    this.#disarm();
    const next = this.#next();
    if (next !== null) {
      // Made now, while there is time, so that a long prompt does not delay its own dispatch.
      if (this.#makeReady(next) === null) return;
      this.#disarm = this.#options.pacer.at(next.plannedNs, () => this.#fireDue());
    } else if (this.#flights.size === 0) {
      this.#allEnded();
    }
  }

  #start(due: DueTry, nowNs: number): void {
    const { request, plannedNs } = due;
    const { template, clock, requestTimeoutNs } = this.#options;
    if (due.attempt === 1) this.#lastPlannedNs = Math.max(this.#lastPlannedNs, plannedNs);
    const reason = this.#dropReason(due, nowNs);
    if (reason !== null) {
      this.#dropped[reason] += 1;
      this.#records.settle(request.index);
      this.#records.write(
        droppedRecord(template, request, this.#idsOf(due), { plannedNs, reason }),
      );
      // Once the budget is spent nobody goes on, or a closed loop would drop all it has left.
      if (reason !== 'budget') this.#releases.ended(request, nowNs, false);
      return;
    }
    const ready = this.#makeReady(due);
    this.#ready = null;
    if (ready === null) return;
    const { requestId, logicalRequestId, attempt, prepared } = ready;
    const handedNs = clock.nowNs();
    const flight: Flight = {
      due,
      request,
      requestId,
      logicalRequestId,
      attempt,
      plannedNs,
      handedNs,
      inFlightAtDispatch: this.#flights.size + 1,
      traceId: prepared.traceId,
      canceller: new AbortController(),
    };
    this.#started += 1;
    this.#flights.set(request.index, flight);
    this.#inFlightMax = Math.max(this.#inFlightMax, this.#flights.size);
    this.#options.onStart?.(flight);
    void this.#carry(flight, {
      ...prepared,
      requestId,
      streamed: template.streamed,
      deadlineNs: Math.min(
        handedNs + requestTimeoutNs,
        this.#tries.deadlineNs(due.firstPlannedNs) ?? Number.POSITIVE_INFINITY,
      ),
    });
  }

  #dropReason({ request, plannedNs }: DueTry, nowNs: number): DropReason | null {
    const { latenessLimitNs, maxInFlight, budget } = this.#options;
    if (latenessLimitNs !== null && nowNs - plannedNs > latenessLimitNs) return 'late';
    if (this.#flights.size >= maxInFlight) return 'ceiling';
    if (this.#dropped.budget > 0 || !budget.reserve(request)) return 'budget';
    return null;
  }

  /** The prepared try, made once; `null` when making it failed, which stops the run. */
  #makeReady(due: DueTry): ReadyTry | null {
    const { request, attempt } = due;
    if (this.#ready?.request === request && this.#ready.attempt === attempt) return this.#ready;
    const { prepare } = this.#options;
    try {
      const ids = this.#idsOf(due);
      this.#ready = { ...ids, request, prepared: prepare(request, ids.requestId) };
      return this.#ready;
    } catch (cause) {
      this.#fail(new InvariantError(`request ${request.index} could not be made`, { cause }));
      return null;
    }
  }

  #idsOf({ request, attempt }: Pick<DueTry, 'request' | 'attempt'>): TryIds {
    const { template, retry } = this.#options;
    return tryIdsOf(template, request, { attempt, isRetried: retry !== null });
  }

  async #carry(flight: Flight, outgoing: OutgoingRequest): Promise<void> {
    const { request, handedNs, canceller } = flight;
    try {
      const result = await this.#options.send.send(outgoing, canceller.signal);
      assert(
        result.dispatchedNs >= handedNs,
        `request ${request.index} was dated ${result.dispatchedNs}, before its start at ${handedNs}`,
      );
      this.#settle(flight, result);
    } catch (cause) {
      this.#settleFault(
        flight,
        new InvariantError(`the send port failed on request ${request.index}`, { cause }),
      );
    }
  }

  #settle(flight: Flight, result: SendResult): void {
    const { request, plannedNs, due } = flight;
    // A late answer of a try that was already written off changes nothing.
    if (!this.#flights.delete(request.index)) return;
    const { clock, budget, template } = this.#options;
    this.#lagMaxNs = Math.max(this.#lagMaxNs ?? 0, result.dispatchedNs - plannedNs);
    budget.settle(request, result.timeline);
    // What follows is due from the end of the answer: the time since then is our own lateness.
    const endedNs = result.timeline.doneNs ?? clock.nowNs();
    const next = this.#tries.after(due, result, endedNs);
    const follows = next !== null && this.#tries.plan(next);
    if (!follows) {
      this.#ended += 1;
      this.#records.settle(request.index);
    }
    this.#records.write(sentRecord(template, flight, result, next?.plannedNs ?? null));
    if (!follows) this.#releases.ended(request, endedNs, result.end.kind === 'completed');
    this.#fireDue();
  }

  #settleFault(flight: Flight, error: InvariantError): void {
    if (!this.#flights.has(flight.request.index)) return;
    this.#fail(error);
    this.#settle(flight, faultResult(flight.handedNs, this.#options.clock.nowNs(), 'clientFault'));
  }

  /** Ends all starts. Only the first reason counts. */
  #close(reason: StopReason): void {
    if (this.#stopReason !== null) return;
    const { clock, atEnd } = this.#options;
    const nowNs = clock.nowNs();
    this.#stopReason = reason;
    if (reason !== 'duration') {
      this.#stopNs = Math.min(this.#stopNs, Math.max(nowNs, this.#lastPlannedNs + 1));
      // What was admitted before the planned end may be tried again while it drains.
      this.#closeTries();
    }
    if (atEnd.kind === 'cancel') this.#cancelTries();
    else this.#alarms.at(nowNs + atEnd.limitNs, () => this.#cancelTries());
    this.#sleepUntilNext();
  }

  /** The requests that wait for a try have had their last: the run stopped before the next. */
  #closeTries(): void {
    for (const { index } of this.#tries.close()) {
      this.#ended += 1;
      this.#records.settle(index);
    }
  }

  /** While a load drains, later tries are the only starts left to stop. */
  #cutTries(): void {
    this.#stopReason = 'interrupted';
    this.#closeTries();
    this.#sleepUntilNext();
  }

  #cancelTries(): void {
    this.#closeTries();
    if (this.#flights.size === 0) this.#sleepUntilNext();
    else this.#cancelFlights();
  }

  #cancelFlights(): void {
    if (this.#cancelling) return;
    this.#cancelling = true;
    const flights = [...this.#flights.values()];
    for (const flight of flights) flight.canceller.abort();
    this.#alarms.at(this.#options.clock.nowNs() + CANCEL_GRACE_NS, () => {
      for (const flight of flights) {
        const { index } = flight.request;
        this.#settleFault(
          flight,
          new InvariantError(`the send port did not end request ${index} when cancelled`),
        );
      }
    });
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#close('interrupted');
    this.#cancelTries();
  }

  async #recordNotReached(): Promise<void> {
    const { template, startNs } = this.#options;
    this.#notReached = await this.#records.writeOpen((request) =>
      notReachedRecord(template, request, this.#idsOf({ request, attempt: 1 }), {
        startNs,
        reason: this.#releases.isOver(request) ? 'sessionOver' : 'stopped',
      }),
    );
  }

  #counts(): PointCounts {
    return {
      scheduled: this.#options.schedule.requests.length,
      waiting: this.#records.openCount - this.#openTries,
      inFlight: this.#flights.size,
      betweenTries: this.#tries.waitingCount,
      ended: this.#ended,
      dropped: { ...this.#dropped },
      notReached: this.#notReached,
      tries: this.#started,
    };
  }
}
