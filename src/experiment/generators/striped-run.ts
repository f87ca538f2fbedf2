/**
 * One load point over several generator processes: each sends its stripe, this process hears what
 * happens, counts over all of them and hands on one record for every request of the whole schedule.
 */
import { assert, type Clock, NS_PER_SECOND } from '../../base/index.ts';
import {
  Alarms,
  FlightCount,
  lostInFlightRecord,
  type PointCounts,
  type PointOutcome,
  type StopReason,
  unsentRecords,
} from '../../loadgen/index.ts';
import type { RequestRecord } from '../../record/index.ts';
import { releaseOf } from '../../summary/index.ts';
import { receivedError } from '../../workers/index.ts';
import type { Schedule, ScheduledRequest } from '../../workload/index.ts';
import type { GeneratedLoad, GeneratorLoad, LoadHooks } from '../generate-load.ts';
import type { GeneratorProcess } from './generator-pool.ts';
import { mergedEvidence } from './merged-evidence.ts';
import type { FromGenerator } from './messages.ts';
import { Stripe, summedCounts } from './stripe.ts';

export interface StripedLoad extends Omit<LoadHooks, 'onStart'> {
  readonly clock: Clock;
  /** The whole schedule; the loads hold its stripes. */
  readonly schedule: Schedule;
  readonly loads: readonly GeneratorLoad[];
  readonly startNs: number;
}

/** An answer is told at most this long after the instant of its end, save by a process that stalls. */
const READING_NS = NS_PER_SECOND / 10;
const PROGRESS_INTERVAL_NS = NS_PER_SECOND / 4;

/**
 * Runs generators that are ready. A generator that dies is no error: what it had in flight and what
 * it had not sent is recorded as such, and the others go on.
 *
 * Errors: as `runSchedule`, after all other records were handed on.
 */
export function runStriped(
  generators: readonly GeneratorProcess[],
  load: StripedLoad,
): Promise<GeneratedLoad> {
  return new StripedRun(generators, load).run();
}

class StripedRun {
  readonly #generators: readonly GeneratorProcess[];
  readonly #load: StripedLoad;
  readonly #stripes: readonly Stripe[];
  readonly #flights: FlightCount;
  /** Until it is known how many were in flight with them. */
  #held: RequestRecord[] = [];
  readonly #unwritten = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | null = null;
  #allEnded: () => void = () => {};

  constructor(generators: readonly GeneratorProcess[], load: StripedLoad) {
    this.#generators = generators;
    this.#load = load;
    this.#stripes = load.loads.map((each) => new Stripe(each, load.schedule.requests.length));
    this.#flights = new FlightCount(generators.length);
  }

  async run(): Promise<GeneratedLoad> {
    const { stopStarts, cancelAll, startNs, clock, onProgress } = this.#load;
    const stop = (): void => this.#tellAll('stopStarts');
    const cancel = (): void => this.#tellAll('cancelAll');
    stopStarts.addEventListener('abort', stop);
    cancelAll.addEventListener('abort', cancel);
    const alarms = new Alarms(clock);
    if (onProgress !== null) {
      alarms.every(PROGRESS_INTERVAL_NS, startNs + PROGRESS_INTERVAL_NS, (atNs) =>
        onProgress({ atNs, counts: this.#standing() }),
      );
    }
    await new Promise<void>((resolve) => {
      this.#allEnded = resolve;
      for (const [at, generator] of this.#generators.entries()) {
        generator.tell({ kind: 'start', startNs });
        generator.listen({
          onMessage: (message) => this.#hear(at, message),
          onLost: (how) => this.#lose(at, how),
        });
      }
      if (cancelAll.aborted) cancel();
      else if (stopStarts.aborted) stop();
    });
    alarms.takeDown();
    stopStarts.removeEventListener('abort', stop);
    cancelAll.removeEventListener('abort', cancel);
    for (const generator of this.#generators) generator.listen(null);
    return this.#finish();
  }

  #hear(at: number, message: FromGenerator): void {
    const stripe = this.#stripes[at] as Stripe;
    switch (message.kind) {
      case 'news':
        return this.#take(at, stripe, message);
      case 'ended':
        stripe.end(message.generated);
        return this.#close(at);
      case 'failed':
        this.#fail(receivedError(message.error, `generator process ${at + 1}`));
        stripe.end(null);
        return this.#close(at);
      case 'ready':
        return;
      default:
    }
  }

  #take(at: number, stripe: Stripe, news: Extract<FromGenerator, { kind: 'news' }>): void {
    const { budget } = this.#load;
    for (const start of news.starts) {
      stripe.started(start);
      this.#flights.started(start.requestId, start.handedNs);
      budget.started(this.#requestAt(start.index));
    }
    for (const record of news.records) {
      const { dispatch, timeline, scheduleIndex } = record;
      stripe.recorded(record);
      if (dispatch.kind === 'sent') {
        this.#flights.ended(releaseOf(record) ?? news.toldNs);
        if (timeline !== null) budget.settle(this.#requestAt(scheduleIndex), timeline);
      }
      // Once the budget is spent nobody goes on, or the load would silently be a lower one.
      if (dispatch.kind === 'dropped' && dispatch.reason === 'budget') this.#tellAll('stopStarts');
      this.#held.push(record);
    }
    this.#flights.heard(at, news.toldNs - READING_NS);
    this.#handOn();
  }

  #lose(at: number, how: string): void {
    const stripe = this.#stripes[at] as Stripe;
    if (stripe.hasEnded) return;
    const { clock, loads } = this.#load;
    const lostNs = clock.nowNs();
    const { template } = loads[at] as GeneratorLoad;
    for (const start of stripe.lose(how, lostNs)) {
      this.#flights.ended(Math.max(lostNs, start.handedNs));
      // The count is put in when the record is handed on.
      const started = { ...start, request: this.#requestAt(start.index), inFlightAtDispatch: 0 };
      const record = lostInFlightRecord(template, started, lostNs);
      stripe.recorded(record);
      this.#held.push(record);
    }
    this.#close(at);
  }

  #close(at: number): void {
    this.#flights.heard(at, Number.POSITIVE_INFINITY);
    this.#handOn();
    if (this.#stripes.every(({ hasEnded }) => hasEnded)) this.#allEnded();
  }

  /** Hands on the records that nothing is missing from any more. */
  #handOn(): void {
    const held: RequestRecord[] = [];
    for (const record of this.#held) {
      if (record.dispatch.kind !== 'sent') this.#write(record);
      else {
        const inFlightAtDispatch = this.#flights.takeAtStart(record.requestId);
        if (inFlightAtDispatch === null) held.push(record);
        else this.#write({ ...record, inFlightAtDispatch });
      }
    }
    this.#held = held;
  }

  #write(record: RequestRecord): void {
    try {
      const written = this.#load.onRecord(record);
      if (written === undefined) return;
      const settled = written.then(
        () => void this.#unwritten.delete(settled),
        (error: unknown) => this.#fail(error),
      );
      this.#unwritten.add(settled);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #finish(): Promise<GeneratedLoad> {
    const { loads, startNs } = this.#load;
    assert(this.#held.length === 0, 'when all has been told every record can be handed on');
    const outcome = this.#outcome();
    for (const [at, stripe] of this.#stripes.entries()) {
      if (stripe.lost === null) continue;
      const { template, schedule, retry } = loads[at] as GeneratorLoad;
      const unsent = unsentRecords({
        template,
        schedule,
        startNs,
        stopNs: outcome.stopNs,
        lostNs: stripe.lost.atNs,
        isTold: (index) => stripe.isTold(index),
        isOver: (session) => stripe.isSessionOver(session),
        inFlightCount: stripe.lost.inFlightCount,
        isRetried: retry !== null,
      });
      for (const record of unsent) {
        stripe.recorded(record);
        this.#write(record);
      }
    }
    await Promise.allSettled(this.#unwritten);
    if (this.#failure !== null) throw this.#failure.error;
    const evidence = mergedEvidence(this.#stripes.map((stripe) => stripe.evidence()));
    return { outcome: { ...outcome, counts: this.#standing() }, evidence };
  }

  #outcome(): Omit<PointOutcome, 'counts'> {
    const { startNs, schedule, clock } = this.#load;
    const outcomes = this.#stripes.flatMap(({ outcome }) => (outcome === null ? [] : [outcome]));
    const stopReason = stopReasonOf(outcomes);
    const lags = outcomes.flatMap(({ lagMaxNs }) => (lagMaxNs === null ? [] : [lagMaxNs]));
    return {
      startNs,
      // Without any outcome nothing was asked for after the last generator died.
      stopNs:
        outcomes.length > 0
          ? Math.max(...outcomes.map(({ stopNs }) => stopNs))
          : Math.min(startNs + schedule.stopNs, clock.nowNs()),
      endNs: Math.max(
        ...outcomes.map(({ endNs }) => endNs),
        ...this.#stripes.map(({ lost }) => lost?.atNs ?? startNs),
      ),
      stopReason,
      partial: stopReason === 'interrupted' || stopReason === 'budget',
      inFlightMax: this.#flights.max,
      lagMaxNs: lags.length === 0 ? null : Math.max(...lags),
    };
  }

  #standing(): PointCounts {
    return summedCounts(this.#stripes.map((stripe) => stripe.counts()));
  }

  #requestAt(index: number): ScheduledRequest {
    const request = this.#load.schedule.requests[index];
    assert(request !== undefined, `a generator told of place ${index}, which no schedule has`);
    return request;
  }

  #tellAll(kind: 'stopStarts' | 'cancelAll'): void {
    for (const generator of this.#generators) generator.tell({ kind });
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#tellAll('cancelAll');
  }
}

/** The gravest of them: each is a reason to read the whole point differently. */
function stopReasonOf(outcomes: readonly PointOutcome[]): StopReason {
  const reasons = new Set(outcomes.map(({ stopReason }) => stopReason));
  if (reasons.has('budget')) return 'budget';
  if (reasons.has('interrupted') || reasons.size === 0) return 'interrupted';
  return reasons.has('duration') ? 'duration' : 'requests';
}
