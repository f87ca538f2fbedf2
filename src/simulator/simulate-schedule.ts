/** One load point against a simulated service: the load generator itself, in virtual time. */
import { VirtualClock } from '../base/index.ts';
import {
  type PointOptions,
  type PointOutcome,
  type RecordTemplate,
  runSchedule,
} from '../loadgen/index.ts';
import { bodyOf, type ServiceInputs, SimulatedService } from './simulated-service.ts';

export interface SimulationOptions
  extends
    Omit<ServiceInputs, 'clock'>,
    Pick<
      PointOptions,
      | 'schedule'
      | 'requestTimeoutNs'
      | 'maxInFlight'
      | 'budget'
      | 'atEnd'
      | 'stopStarts'
      | 'cancelAll'
      | 'onRecord'
    > {
  readonly template: Omit<RecordTemplate, 'source' | 'clock' | 'streamed' | 'oneTokenPerEvent'>;
}

/**
 * Serves the schedule to its end. Releases, ceilings, budgets, drains and records are those of a
 * load test, because the same code obeys the schedule; only the send port and the clock differ.
 * The point starts at 0; equal options give equal records, in the same order.
 *
 * Errors: as `runSchedule`.
 */
export async function simulateSchedule(options: SimulationOptions): Promise<PointOutcome> {
  const clock = new VirtualClock();
  const { schedule, service, answers, promptTokensOf, template, ...point } = options;
  const outcome = runSchedule({
    ...point,
    clock,
    pacer: clock,
    schedule,
    startNs: 0,
    send: new SimulatedService({ clock, schedule, service, answers, promptTokensOf }),
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
    onProgress: null,
  });
  await Promise.all([outcome, clock.runAll()]);
  return outcome;
}
