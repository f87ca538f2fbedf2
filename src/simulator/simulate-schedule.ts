/** One load point against a simulated service: the load generator itself, in virtual time. */
import { settlePromises, VirtualClock } from '../base/index.ts';
import {
  type PointOptions,
  type PointOutcome,
  type RecordTemplate,
  runSchedule,
} from '../loadgen/index.ts';
import type { ServiceReport } from './serving-backend.ts';
import { bodyOf, type ServiceInputs, SimulatedService } from './simulated-service.ts';

export interface SimulationOptions
  extends
    Omit<ServiceInputs, 'clock'>,
    Pick<
      PointOptions,
      | 'schedule'
      | 'requestTimeoutNs'
      | 'maxInFlight'
      | 'retry'
      | 'budget'
      | 'atEnd'
      | 'stopStarts'
      | 'cancelAll'
      | 'onRecord'
    > {
  readonly template: Omit<RecordTemplate, 'source' | 'clock' | 'streamed' | 'oneTokenPerEvent'>;
}

export interface SimulatedOutcome extends PointOutcome {
  /** What the service did from 0 to the end of the point. */
  readonly service: ServiceReport;
}

/**
 * Serves the schedule to its end. Releases, ceilings, budgets, drains and records are those of a
 * load test, because the same code obeys the schedule; only the send port and the clock differ.
 * The point starts at 0; equal options give equal records, in the same order.
 *
 * Errors: as `runSchedule`.
 */
export async function simulateSchedule(options: SimulationOptions): Promise<SimulatedOutcome> {
  const clock = new VirtualClock();
  const { schedule, service, answers, promptTokensOf, steps, template, onRecord, ...point } =
    options;
  const pauses = new Pauses();
  const send = new SimulatedService({
    clock,
    schedule,
    service,
    answers,
    promptTokensOf,
    steps: steps ?? null,
    onAnswer: () => pauses.ask(),
  });
  // The point may end at its stop instant without an answer.
  const { stopNs } = schedule;
  const disarm = clock.at(stopNs, () => clock.at(stopNs, () => pauses.ask()));
  const outcome = runSchedule({
    ...point,
    clock,
    pacer: clock,
    schedule,
    startNs: 0,
    send,
    prepare: (request) => ({ body: bodyOf(request), headers: {}, traceId: null }),
    // Nothing is ever late here.
    latenessLimitNs: null,
    template: {
      ...template,
      source: 'simulated',
      clock: 'server',
      streamed: true,
      oneTokenPerEvent: true,
    },
    onRecord: (record) => pauses.awaitNext(onRecord(record)),
    onProgress: null,
  });
  const ended = outcome.finally(disarm).then(
    (result): SimulatedOutcome => ({ ...result, service: send.close() }),
    (error: unknown) => {
      send.close();
      throw error;
    },
  );
  const [result] = await Promise.all([ended, clock.runAll(() => pauses.next())]);
  return result;
}

/**
 * When virtual time waits for real time: after a request has ended, until the load generator has
 * dealt with it, and as long as records wait to be written. Otherwise one that simulates faster
 * than the disk writes would hold them all.
 */
class Pauses {
  #isAsked = false;
  #written: Promise<void> | null = null;

  ask(): void {
    this.#isAsked = true;
  }

  awaitNext(written: void | Promise<void>): void | Promise<void> {
    this.#isAsked = true;
    if (written !== undefined) this.#written = written;
    return written;
  }

  next(): Promise<void> | null {
    if (!this.#isAsked) return null;
    this.#isAsked = false;
    return this.#pause();
  }

  async #pause(): Promise<void> {
    await settlePromises();
    const written = this.#written;
    this.#written = null;
    // Its failure is for the load generator to tell.
    await written?.catch(() => {});
  }
}
