/** The steps of a simulated service: the same however they were simulated, and all of its tokens. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestRecord, StepRow } from '../../src/record/index.ts';
import { type ServiceOptions, StepTimeline } from '../../src/simulator/index.ts';
import type { Schedule } from '../../src/workload/index.ts';
import { NS_PER_MS } from '../../src/base/index.ts';
import { atSeconds, scheduleOf } from '../support/point-run.ts';
import { anyEngine, anySchedule } from '../support/service-arbitrary.ts';
import { ROOMY_ENGINE, ROOMY_SERVICE, simulatePoint } from '../support/simulated-point.ts';

const TIGHT = { maxInFlight: 6, requestTimeoutNs: 400 * NS_PER_MS };

const anyService: fc.Arbitrary<ServiceOptions> = fc.record({
  engine: anyEngine,
  replicas: fc.integer({ min: 1, max: 3 }),
  router: fc.constantFrom('roundRobin', 'leastOutstanding'),
  method: fc.constant('skip'),
  disaggregation: fc.constant(null),
  autoscaling: fc.constant(null),
  queueTimeoutNs: fc.option(fc.integer({ min: 1, max: 300 * NS_PER_MS }), { freq: 2 }),
});

async function stepsOf(
  schedule: Schedule,
  service: ServiceOptions,
  rowsMax?: number,
): Promise<{
  readonly rows: readonly StepRow[];
  readonly cutNs: number | null;
  readonly records: readonly RequestRecord[];
}> {
  const steps = new StepTimeline(rowsMax);
  const { records } = await simulatePoint(schedule, service, { ...TIGHT, steps });
  return { ...steps.log(), records };
}

const APART: ServiceOptions = {
  ...ROOMY_SERVICE,
  disaggregation: {
    firstToken: 'prefill',
    decodeEngine: ROOMY_ENGINE,
    decodeReplicas: 2,
    transfer: { latencyNs: 1e6, bytesPerSecond: null, kvBytesOf: () => 0 },
  },
};

describe('the steps of a simulated service', () => {
  it('are the same step by step and skipped, to the bit', async () => {
    await fc.assert(
      fc.asyncProperty(anySchedule, anyService, async (schedule, service) => {
        const skipped = await stepsOf(schedule, service);
        const naive = await stepsOf(schedule, { ...service, method: 'naive' });
        expect(skipped.rows).toEqual(naive.rows);
      }),
      { numRuns: 150 },
    );
  });

  it('are the same with prefill and decode apart, and say which side they are of', async () => {
    const schedule = scheduleOf(atSeconds(0, 0.1, 0.1, 0.7), { outputTokensMax: 30 });
    const skipped = await stepsOf(schedule, APART);
    const naive = await stepsOf(schedule, { ...APART, method: 'naive' });
    expect(skipped.rows).toEqual(naive.rows);
    const decodes = skipped.rows.filter(({ pool }) => pool === 'decode');
    expect(decodes.every(({ prefillTokens }) => prefillTokens === 0)).toBe(true);
    expect(new Set(skipped.rows.map(({ pool }) => pool))).toEqual(new Set(['prefill', 'decode']));
  });

  it('hold every token of the answers, each at the end of a step', async () => {
    const times = Array.from({ length: 40 }, (_, at) => at / 20);
    const schedule = scheduleOf(atSeconds(...times), { outputTokensMax: 50 });
    const { rows, records } = await stepsOf(schedule, { ...ROOMY_SERVICE, method: 'naive' });
    const completed = records.filter(({ end }) => end?.kind === 'completed');
    const decoded = rows.reduce((sum, row) => sum + row.stepCount * row.decodeCount, 0);
    const prefilled = rows.reduce((sum, row) => sum + row.prefillTokens, 0);
    const sent = records.filter(({ dispatch }) => dispatch.kind === 'sent');
    // The prefill gives the first token of each answer.
    expect([completed.length, decoded]).toEqual([sent.length, 49 * sent.length]);
    expect(prefilled).toBe(10 * sent.length);
    const last = rows.at(-1) as StepRow;
    const doneNs = Math.max(...records.map(({ timeline }) => timeline?.doneNs ?? 0));
    expect(last.startNs + last.durationNs).toBe(doneNs);
  });

  it('are cut where there are too many, and say from when on', async () => {
    const schedule = scheduleOf(atSeconds(0, 1, 2, 3, 4), { outputTokensMax: 5 });
    const all = await stepsOf(schedule, ROOMY_SERVICE);
    const cut = await stepsOf(schedule, ROOMY_SERVICE, 4);
    expect([all.cutNs, all.rows.length]).toEqual([null, 10]);
    expect(cut.rows).toEqual(all.rows.slice(0, cut.rows.length));
    expect(cut.cutNs).toBe(all.rows[cut.rows.length]?.startNs);
  });
});
