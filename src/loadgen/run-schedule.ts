/** The load generator: obeys a schedule and accounts for every request in it. */
import { assert, InvariantError, NS_PER_SECOND } from '../base/index.ts';
import type { DropReason, OutgoingRequest, RequestRecord, SendResult } from '../record/index.ts';
import type { ScheduledRequest } from '../workload/index.ts';
import type { Due } from './due-queue.ts';
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
  requestIdOf,
  sentRecord,
  type StartedRequest,
} from './point-records.ts';
import { PlaceSet } from './place-set.ts';
import { Releases } from './releases.ts';

/** A send port that has not ended a try this long after its cancellation never will. */
const CANCEL_GRACE_NS = 5 * NS_PER_SECOND;
const PROGRESS_INTERVAL_NS = NS_PER_SECOND / 4;

/**
 * Runs one load point and gives every request of its schedule exactly one record.
 *
 * All due requests are fired: a late generator catches up and never shifts the schedule, so its
 * lateness shows as dispatched − planned. At the stop instant whatever is due is fired, then
 * nothing starts any more; the rest drains or is cancelled. Always ends: at the latest at the
 * stop instant + drain limit + 5 s.
 *
 * Errors: whatever `onRecord` failed with; {@link InvariantError} when `prepare` or the send port
 * broke its contract. Both after all other records were handed on.
 */
export function runSchedule(options: PointOptions): Promise<PointOutcome> {
  return new PointRun(options).run();
}

interface Flight extends StartedRequest {
  readonly canceller: AbortController;
}

/** A request made before it is due. */
interface ReadyRequest {
  readonly request: ScheduledRequest;
  readonly requestId: string;
  readonly prepared: PreparedRequest;
}

class PointRun {
  readonly #options: PointOptions;
  readonly #releases: Releases;
  readonly #flights = new Map<number, Flight>();
  readonly #recorded: PlaceSet;
  readonly #unwritten = new Set<Promise<void>>();
  readonly #dropped: Record<DropReason, number> = {
    ceiling: 0,
    late: 0,
    budget: 0,
    generatorLost: 0,
  };
  /** Alarms to take down at the end. */
  readonly #alarms = new Set<() => void>();
  #stopNs: number;
  #stopReason: StopReason | null = null;
  #ready: ReadyRequest | null = null;
  #disarm: () => void = () => {};
  #allEnded: () => void = () => {};
  #cancelling = false;
  #ended = 0;
  #notReached = 0;
  #inFlightMax = 0;
  #lagMaxNs: number | null = null;
  #lastPlannedNs = 0;
  #failure: { readonly error: unknown; readonly canRecord: boolean } | null = null;

  constructor(options: PointOptions) {
    const { schedule, maxInFlight, startNs } = options;
    assert(
      (schedule.slots ?? 0) <= maxInFlight,
      `${schedule.slots} slots cannot be kept under a ceiling of ${maxInFlight} in flight`,
    );
    this.#options = options;
    this.#releases = new Releases(schedule, startNs);
    // A stripe keeps the places its requests have in the whole schedule.
    this.#recorded = new PlaceSet((schedule.requests.at(-1)?.index ?? -1) + 1);
    this.#stopNs = startNs + schedule.stopNs;
  }

  async run(): Promise<PointOutcome> {
    const { stopStarts, cancelAll, startNs, clock } = this.#options;
    const stop = (): void => this.#close('interrupted');
    const cancel = (): void => {
      this.#close('interrupted');
      // Cutting the drain short also interrupts, though no start was lost by it.
      if (this.#flights.size > 0) this.#stopReason = 'interrupted';
      this.#cancelFlights();
    };
    stopStarts.addEventListener('abort', stop);
    cancelAll.addEventListener('abort', cancel);
    await new Promise<void>((resolve) => {
      this.#allEnded = resolve;
      this.#alarm(this.#stopNs, () => {
        this.#fireDue();
        this.#close('duration');
      });
      this.#reportProgress(startNs + PROGRESS_INTERVAL_NS);
      if (cancelAll.aborted) cancel();
      else if (stopStarts.aborted) stop();
      else this.#fireDue();
    });
    const endNs = clock.nowNs();
    stopStarts.removeEventListener('abort', stop);
    cancelAll.removeEventListener('abort', cancel);
    this.#disarm();
    for (const takeDown of this.#alarms) takeDown();

    const stopReason = this.#finalStopReason();
    await this.#recordNotReached();
    await Promise.allSettled(this.#unwritten);
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
    const openLoop = this.#options.schedule.requests.every(({ release }) => release.kind === 'at');
    return openLoop || this.#unrecordedCount > 0 ? 'duration' : 'requests';
  }

  get #unrecordedCount(): number {
    return this.#options.schedule.requests.length - this.#recorded.size;
  }

  /** Fires every due request, then sleeps until the next. Ends the run when none can follow. */
  #fireDue(): void {
    const { clock } = this.#options;
    while (this.#stopReason === null) {
      const due = this.#releases.takeDue(clock.nowNs(), this.#stopNs);
      if (due === null) break;
      this.#start(due, clock.nowNs());
    }
    if (this.#dropped.budget > 0) this.#close('budget');
    this.#sleepUntilNext();
  }

  #sleepUntilNext(): void {
    this.#disarm();
    const next = this.#stopReason === null ? this.#releases.next() : null;
    if (next !== null && next.plannedNs < this.#stopNs) {
      // Made now, while there is time, so that a long prompt does not delay its own dispatch.
      if (this.#makeReady(next.request) === null) return;
      this.#disarm = this.#options.pacer.at(next.plannedNs, () => this.#fireDue());
    } else if (this.#flights.size === 0) {
      this.#allEnded();
    }
  }

  #start(due: Due, nowNs: number): void {
    const { request, plannedNs } = due;
    const { template, clock, requestTimeoutNs } = this.#options;
    this.#lastPlannedNs = Math.max(this.#lastPlannedNs, plannedNs);
    const reason = this.#dropReason(due, nowNs);
    if (reason !== null) {
      this.#dropped[reason] += 1;
      this.#record(request, droppedRecord(template, request, plannedNs, reason));
      // Once the budget is spent nobody goes on, or a closed loop would drop all it has left.
      if (reason !== 'budget') this.#releases.ended(request, nowNs);
      return;
    }
    const ready = this.#makeReady(request);
    this.#ready = null;
    if (ready === null) return;
    const { requestId, prepared } = ready;
    const handedNs = clock.nowNs();
    const flight: Flight = {
      request,
      requestId,
      plannedNs,
      handedNs,
      inFlightAtDispatch: this.#flights.size + 1,
      traceId: prepared.traceId,
      canceller: new AbortController(),
    };
    this.#flights.set(request.index, flight);
    this.#inFlightMax = Math.max(this.#inFlightMax, this.#flights.size);
    this.#options.onStart?.(flight);
    void this.#carry(flight, {
      ...prepared,
      requestId,
      streamed: template.streamed,
      deadlineNs: handedNs + requestTimeoutNs,
    });
  }

  #dropReason({ request, plannedNs }: Due, nowNs: number): DropReason | null {
    const { latenessLimitNs, maxInFlight, budget } = this.#options;
    if (latenessLimitNs !== null && nowNs - plannedNs > latenessLimitNs) return 'late';
    if (this.#flights.size >= maxInFlight) return 'ceiling';
    if (this.#dropped.budget > 0 || !budget.reserve(request)) return 'budget';
    return null;
  }

  /** The prepared request, made once; `null` when making it failed, which stops the run. */
  #makeReady(request: ScheduledRequest): ReadyRequest | null {
    if (this.#ready?.request === request) return this.#ready;
    const { prepare, template } = this.#options;
    try {
      const requestId = requestIdOf(template, request);
      this.#ready = { request, requestId, prepared: prepare(request, requestId) };
      return this.#ready;
    } catch (cause) {
      this.#fail(new InvariantError(`request ${request.index} could not be made`, { cause }));
      return null;
    }
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
    const { request, plannedNs } = flight;
    // A late answer of a try that was already written off changes nothing.
    if (!this.#flights.delete(request.index)) return;
    const { clock, budget, template } = this.#options;
    this.#ended += 1;
    this.#lagMaxNs = Math.max(this.#lagMaxNs ?? 0, result.dispatchedNs - plannedNs);
    budget.settle(request, result.timeline);
    this.#record(request, sentRecord(template, flight, result));
    // What follows is due from the end of the answer: the time since then is our own lateness.
    this.#releases.ended(request, result.timeline.doneNs ?? clock.nowNs());
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
    }
    if (atEnd.kind === 'cancel') this.#cancelFlights();
    else this.#alarm(nowNs + atEnd.limitNs, () => this.#cancelFlights());
    this.#sleepUntilNext();
  }

  #cancelFlights(): void {
    if (this.#cancelling || this.#flights.size === 0) return;
    this.#cancelling = true;
    const flights = [...this.#flights.values()];
    for (const flight of flights) flight.canceller.abort();
    this.#alarm(this.#options.clock.nowNs() + CANCEL_GRACE_NS, () => {
      for (const flight of flights) {
        const { index } = flight.request;
        this.#settleFault(
          flight,
          new InvariantError(`the send port did not end request ${index} when cancelled`),
        );
      }
    });
  }

  #fail(error: unknown, canRecord = true): void {
    this.#failure ??= { error, canRecord };
    this.#close('interrupted');
    this.#cancelFlights();
  }

  #record(request: ScheduledRequest, record: RequestRecord): void {
    this.#recorded.add(request.index);
    try {
      const written = this.#options.onRecord(record);
      if (written === undefined) return;
      const settled = written.then(
        () => void this.#unwritten.delete(settled),
        (error: unknown) => this.#fail(error, false),
      );
      this.#unwritten.add(settled);
    } catch (error) {
      this.#fail(error, false);
    }
  }

  async #recordNotReached(): Promise<void> {
    const { schedule, template, startNs, onRecord } = this.#options;
    for (const request of schedule.requests) {
      if (this.#recorded.has(request.index)) continue;
      if (this.#failure?.canRecord === false) return;
      this.#notReached += 1;
      try {
        await onRecord(notReachedRecord(template, request, startNs));
      } catch (error) {
        this.#failure ??= { error, canRecord: false };
        return;
      }
      this.#recorded.add(request.index);
    }
  }

  #reportProgress(atNs: number): void {
    const { onProgress } = this.#options;
    if (onProgress === null) return;
    this.#alarm(atNs, () => {
      const nowNs = this.#options.clock.nowNs();
      onProgress({ atNs: nowNs, counts: this.#counts() });
      // Reports that came too late are left out: catching up would be work at the worst moment.
      const missed = Math.floor((nowNs - atNs) / PROGRESS_INTERVAL_NS);
      this.#reportProgress(atNs + (1 + missed) * PROGRESS_INTERVAL_NS);
    });
  }

  #alarm(atNs: number, action: () => void): void {
    const takeDown = this.#options.clock.at(atNs, () => {
      this.#alarms.delete(takeDown);
      action();
    });
    this.#alarms.add(takeDown);
  }

  #counts(): PointCounts {
    const { length: scheduled } = this.#options.schedule.requests;
    return {
      scheduled,
      waiting: this.#unrecordedCount - this.#flights.size,
      inFlight: this.#flights.size,
      ended: this.#ended,
      dropped: { ...this.#dropped },
      notReached: this.#notReached,
    };
  }
}
