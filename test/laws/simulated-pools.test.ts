/** Laws of services whose prefill and decode are apart, or whose replicas come and go. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NS_PER_MS } from '../../src/base/index.ts';
import type { EngineOptions } from '../../src/engine/index.ts';
import { checkRecord, recordLine } from '../../src/record/index.ts';
import type {
  AutoscalingOptions,
  DisaggregationOptions,
  ServiceOptions,
} from '../../src/simulator/index.ts';
import { fateOf } from '../support/point-run.ts';
import { inPlace, simulatePoint } from '../support/simulated-point.ts';
import { anyEngine, anySchedule, openLoop } from '../support/service-arbitrary.ts';

/** Replicas apart have no priorities here, and a decode engine no cache and no limit of its own. */
function decodeEngineOf(engine: EngineOptions): EngineOptions {
  return {
    ...engine,
    limits: { ...engine.limits, maxWaiting: null },
    memory: engine.memory === null ? null : { ...engine.memory, prefixCaching: false },
  };
}

const anyDisaggregation: fc.Arbitrary<DisaggregationOptions> = fc
  .record({
    firstToken: fc.constantFrom('prefill', 'decode'),
    decodeEngine: anyEngine.map(decodeEngineOf),
    decodeReplicas: fc.integer({ min: 1, max: 3 }),
    latencyNs: fc.oneof(fc.constant(0), fc.nat(20 * NS_PER_MS)),
    bytesPerSecond: fc.option(fc.integer({ min: 1_000, max: 100_000 })),
  })
  .map(({ latencyNs, bytesPerSecond, ...options }) => ({
    ...options,
    transfer: { latencyNs, bytesPerSecond, kvBytesOf: (tokens) => 10 * tokens },
  }));

const anyAutoscaling: fc.Arbitrary<AutoscalingOptions> = fc.record({
  metric: fc.constantFrom('inFlight', 'waiting', 'arrivals'),
  target: fc.integer({ min: 1, max: 5 }),
  minReplicas: fc.constant(1),
  maxReplicas: fc.integer({ min: 3, max: 5 }),
  intervalNs: fc.integer({ min: 10 * NS_PER_MS, max: 200 * NS_PER_MS }),
  scaleDownWindowNs: fc.nat(200 * NS_PER_MS),
  provisionNs: fc.nat(200 * NS_PER_MS),
  toleranceShare: fc.constantFrom(0, 0.1),
});

const anyService: fc.Arbitrary<ServiceOptions> = fc
  .record({
    engine: anyEngine,
    replicas: fc.integer({ min: 1, max: 3 }),
    router: fc.constantFrom('roundRobin', 'leastOutstanding', 'prefixAffine'),
    queueTimeoutNs: fc.option(fc.integer({ min: 1, max: 300 * NS_PER_MS }), { freq: 2 }),
    more: fc.oneof(
      anyDisaggregation.map((disaggregation) => ({ disaggregation, autoscaling: null })),
      anyAutoscaling.map((autoscaling) => ({ disaggregation: null, autoscaling })),
      fc.constant({ disaggregation: null, autoscaling: null }),
    ),
  })
  .map(({ more, ...service }) => ({ ...service, ...more, method: 'skip' }));

const TIGHT = { maxInFlight: 8, requestTimeoutNs: 400 * NS_PER_MS };

/** `SIMULATED_POOL_RUNS` = how many configurations, for a long run. */
const numRuns = Number(process.env['SIMULATED_POOL_RUNS'] ?? 300);

describe('skipping steps', () => {
  it('is doing each of them, to the byte', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(anySchedule, anyService, async (schedule, service) => {
        const skipped = await simulatePoint(schedule, service, TIGHT);
        const naive = await simulatePoint(schedule, { ...service, method: 'naive' }, TIGHT);
        expect(inPlace(skipped.records).map(recordLine)).toEqual(
          inPlace(naive.records).map(recordLine),
        );
        expect(skipped.outcome).toEqual(naive.outcome);
      }),
      { numRuns },
    );
  });
});

describe('prefill and decode apart', () => {
  const anyApart = fc
    .tuple(anyService, anyDisaggregation)
    .map(([service, disaggregation]) => ({ ...service, disaggregation, autoscaling: null }));

  it('give every request one sound record and whoever is served all tokens', async () => {
    const fates = new Set<string>();
    await fc.assert(
      fc.asyncProperty(anySchedule, anyApart, async (schedule, service) => {
        const { records } = await simulatePoint(schedule, service, TIGHT);
        expect(records).toHaveLength(schedule.requests.length);
        for (const record of records) {
          fates.add(fateOf(record));
          expect(checkRecord(record)).toEqual([]);
          const tokensNs = record.timeline?.output.atNs ?? [];
          if (record.end?.kind === 'completed') {
            expect(tokensNs).toHaveLength(record.outputTokensMax ?? 0);
          }
          expect(tokensNs).toEqual([...new Set(tokensNs)].toSorted((a, b) => a - b));
        }
      }),
      { numRuns: 150, seed: 1 },
    );
    expect([...fates]).toEqual(expect.arrayContaining(['completed', 'failed', 'timedOut']));
  });

  it('send each prompt once that needs a second token', async () => {
    await fc.assert(
      fc.asyncProperty(openLoop, anyApart, async (schedule, service) => {
        const { records, outcome } = await simulatePoint(schedule, service);
        const { firstToken } = service.disaggregation;
        const sent = inPlace(records).filter(
          ({ end, outputTokensMax }) =>
            end?.kind === 'completed' && (firstToken === 'decode' || outputTokensMax !== 1),
        );
        const bytes = sent.reduce(
          (sum, { promptTokensPlanned }) => sum + 10 * (promptTokensPlanned ?? 0),
          0,
        );
        expect(outcome.service.transfers).toMatchObject({ transfers: sent.length, bytes });
      }),
      { numRuns: 100 },
    );
  });
});

describe('replicas that come and go', () => {
  const anyScaled = fc
    .tuple(anyService, anyAutoscaling)
    .map(([service, autoscaling]) => ({ ...service, autoscaling, disaggregation: null }));

  it('lose no request', async () => {
    await fc.assert(
      fc.asyncProperty(anySchedule, anyScaled, async (schedule, service) => {
        const roomy = {
          ...service,
          queueTimeoutNs: null,
          engine: {
            ...service.engine,
            limits: { ...service.engine.limits, maxWaiting: null, maxModelTokens: null },
            memory: null,
          },
        };
        const { records } = await simulatePoint(schedule, roomy);
        const lost = records.filter(
          ({ dispatch, end }) => dispatch.kind === 'sent' && end?.kind !== 'completed',
        );
        expect(lost).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('are always within their bounds, and paid for from order to end', async () => {
    let scaled = 0;
    await fc.assert(
      fc.asyncProperty(anySchedule, anyScaled, async (schedule, service) => {
        const { outcome } = await simulatePoint(schedule, service, TIGHT);
        const [pool] = outcome.service.pools;
        const { minReplicas, maxReplicas } = service.autoscaling;
        const sinceNs = new Map<number, number>();
        for (let number = 0; number < service.replicas; number += 1) sinceNs.set(number, 0);
        let paidNs = 0;
        for (const { kind, replica, ready, atNs } of pool?.events ?? []) {
          scaled += 1;
          expect(ready).toBeGreaterThanOrEqual(Math.min(minReplicas, service.replicas));
          expect(ready).toBeLessThanOrEqual(Math.max(maxReplicas, service.replicas));
          if (kind === 'ordered') sinceNs.set(replica, atNs);
          if (kind !== 'gone') continue;
          paidNs += atNs - (sinceNs.get(replica) as number);
          sinceNs.delete(replica);
        }
        for (const atNs of sinceNs.values()) paidNs += outcome.endNs - atNs;
        expect(pool?.replicaNs).toBe(paidNs);
      }),
      { numRuns: 100, seed: 3 },
    );
    expect(scaled).toBeGreaterThan(100);
  });
});
