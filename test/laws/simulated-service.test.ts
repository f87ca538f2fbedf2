/** Laws of the simulated service, whatever the schedule, the engine and the router. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NS_PER_MS, NS_PER_SECOND, VirtualClock } from '../../src/base/index.ts';
import { LatenessMeter } from '../../src/emulator/lateness-meter.ts';
import { StepDriver } from '../../src/emulator/step-driver.ts';
import { createEngine, type EngineOptions } from '../../src/engine/index.ts';
import { checkRecord, recordLine, type RequestRecord } from '../../src/record/index.ts';
import { serveRequests, type ServiceOptions } from '../../src/simulator/index.ts';
import type { Schedule } from '../../src/workload/index.ts';
import { fateOf } from '../support/point-run.ts';
import { inPlace, ROOMY_SERVICE, simulatePoint } from '../support/simulated-point.ts';
import { anyEngine, anySchedule, openLoop, scheduleFrom } from '../support/service-arbitrary.ts';
import { pointOf, pointSummaryOf } from '../support/summary-builder.ts';

const anyService: fc.Arbitrary<ServiceOptions> = fc.record({
  engine: anyEngine,
  replicas: fc.integer({ min: 1, max: 3 }),
  router: fc.constantFrom('roundRobin', 'leastOutstanding', 'prefixAffine'),
  method: fc.constantFrom('naive', 'skip'),
  disaggregation: fc.constant(null),
  autoscaling: fc.constant(null),
  queueTimeoutNs: fc.option(fc.integer({ min: 1, max: 300 * NS_PER_MS }), { freq: 2 }),
});

/** Few enough in flight, and short enough a deadline, that all fates occur. */
const TIGHT = { maxInFlight: 4, requestTimeoutNs: 400 * NS_PER_MS };

describe('a simulated point', () => {
  it('gives every request one sound record', async () => {
    await fc.assert(
      fc.asyncProperty(anySchedule, anyService, async (schedule, service) => {
        const { records, outcome } = await simulatePoint(schedule, service, TIGHT);
        expect(inPlace(records).map(({ scheduleIndex }) => scheduleIndex)).toEqual(
          schedule.requests.map(({ index }) => index),
        );
        for (const record of records) expect(checkRecord(record)).toEqual([]);
        const { counts } = outcome;
        const dropped = Object.values(counts.dropped).reduce((sum, count) => sum + count, 0);
        expect(counts.ended + dropped + counts.notReached).toBe(counts.scheduled);
      }),
      { numRuns: 150 },
    );
  });

  it('gives whoever is served all tokens, and nobody more than asked', async () => {
    const fates = new Set<string>();
    await fc.assert(
      fc.asyncProperty(anySchedule, anyService, async (schedule, service) => {
        const { records } = await simulatePoint(schedule, service, TIGHT);
        for (const record of records) {
          fates.add(fateOf(record));
          const { timeline, end, outputTokensMax } = record;
          if (timeline === null) continue;
          const tokens = timeline.output.atNs.length;
          expect(timeline.usage?.completionTokens ?? 0).toBe(tokens);
          if (end?.kind === 'completed') expect(tokens).toBe(outputTokensMax);
          else expect(tokens).toBeLessThan(outputTokensMax ?? 0);
          const { promptTokens, cachedPromptTokens } = timeline.usage ?? {};
          expect(cachedPromptTokens ?? 0).toBeLessThan(promptTokens ?? 1);
        }
      }),
      { numRuns: 150, seed: 1 },
    );
    const all = ['ceiling', 'completed', 'failed', 'notReached', 'timedOut'];
    expect([...fates].toSorted()).toEqual(all);
  });

  it('is the same again, to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(anySchedule, anyService, async (schedule, service) => {
        const [one, two] = [
          await simulatePoint(schedule, service, TIGHT),
          await simulatePoint(schedule, service, TIGHT),
        ];
        expect(two.records.map(recordLine)).toEqual(one.records.map(recordLine));
      }),
      { numRuns: 50 },
    );
  });

  it('has as many in flight as its records say', async () => {
    await fc.assert(
      fc.asyncProperty(anySchedule, anyService, async (schedule, service) => {
        const { records, outcome } = await simulatePoint(schedule, service, TIGHT);
        const { stopNs } = outcome;
        const point = pointOf({ stopNs, closedLoop: schedule.slots !== null });
        const { littlesLaw, validity } = pointSummaryOf(records, {
          points: [point],
          prefixCache: 'shared',
        });
        expect(littlesLaw.pathGapShare ?? 0).toBeCloseTo(0, 9);
        expect(validity.valid).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('behind round robin is each replica with its share, alone', async () => {
    await fc.assert(
      fc.asyncProperty(openLoop, anyEngine, async (schedule, engine) => {
        const service = { ...ROOMY_SERVICE, engine };
        const together = await simulatePoint(schedule, { ...service, replicas: 2 });
        for (const replica of [0, 1]) {
          const own = schedule.requests.filter(({ index }) => index % 2 === replica);
          const alone = await simulatePoint(scheduleFrom(own, null), service);
          const share = together.records.filter((each) => each.scheduleIndex % 2 === replica);
          expect(inPlace(share).map(seen)).toEqual(inPlace(alone.records).map(seen));
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** What a client saw of an answer. */
function seen({ timeline, queueNs, end }: RequestRecord) {
  return { timeline, queueNs, end };
}

describe('the same arrivals', () => {
  /** Arrivals of one engine that never looks for equal beginnings. */
  const anyLoad = fc.tuple(
    openLoop.map((schedule) => ({ ...schedule, stopNs: 2 * NS_PER_SECOND })),
    anyEngine.map((engine) => ({
      ...engine,
      limits: { ...engine.limits, maxModelTokens: null },
      memory: engine.memory === null ? null : { ...engine.memory, prefixCaching: false },
    })),
  );
  const arrivalsOf = ({ requests }: Schedule) =>
    requests.map(({ release, promptTokens, outputTokensMax }) => ({
      atNs: release.kind === 'at' ? release.atNs : 0,
      promptTokens: promptTokens ?? 1,
      outputTokens: outputTokensMax ?? 1,
    }));

  it('without a load generator are served alike', async () => {
    await fc.assert(
      fc.asyncProperty(anyLoad, async ([schedule, engine]) => {
        const { records } = await simulatePoint(schedule, { ...ROOMY_SERVICE, engine });
        const served = serveRequests(createEngine(engine), arrivalsOf(schedule));
        expect(
          inPlace(records).map(({ timeline, queueNs, end }) =>
            end?.kind === 'completed'
              ? [queueNs, timeline?.output.atNs[0], timeline?.doneNs]
              : 'rejected',
          ),
        ).toEqual(
          served.map((each) =>
            each.kind === 'served' ? [each.queuedNs, each.firstNs, each.doneNs] : 'rejected',
          ),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('on the emulator’s plan have every token at the same instant', async () => {
    await fc.assert(
      fc.asyncProperty(anyLoad, timeouts, async ([schedule, engine], queueTimeoutNs) => {
        const service = { ...ROOMY_SERVICE, engine, queueTimeoutNs };
        const { records } = await simulatePoint(schedule, service);
        const planned = await emulatedTokensNs(schedule, engine, queueTimeoutNs);
        expect(inPlace(records).map(({ timeline }) => timeline?.output.atNs)).toEqual(planned);
      }),
      { numRuns: 100 },
    );
  });

  const timeouts = fc.option(fc.integer({ min: 1, max: 300 * NS_PER_MS }));

  /** When the emulator's driver, on a clock that is never late, would emit each token. */
  async function emulatedTokensNs(
    schedule: Schedule,
    engine: EngineOptions,
    queueTimeoutNs: number | null,
  ): Promise<number[][]> {
    const clock = new VirtualClock();
    const driver = new StepDriver(createEngine(engine), clock, {
      queueTimeoutNs,
      stepFactorAt: () => 1,
      onStep: () => {},
      lateness: new LatenessMeter(),
      spreadClock: null,
    });
    const tokensNs = arrivalsOf(schedule).map(({ atNs, ...lengths }, index) => {
      const own: number[] = [];
      clock.at(atNs, () =>
        driver.submit(
          { id: String(index), ...lengths },
          {
            rejected: () => {},
            admitted: () => {},
            started: () => {},
            token: (dueNs) => void own.push(dueNs),
          },
        ),
      );
      return own;
    });
    await clock.runAll();
    return tokensNs;
  }
});
