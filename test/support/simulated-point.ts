/** Simulates one load point for a test. */
import { type EngineOptions, seedCostModel } from '../../src/engine/index.ts';
import { Budget } from '../../src/loadgen/index.ts';
import { NS_PER_SECOND } from '../../src/base/index.ts';
import type { RequestRecord } from '../../src/record/index.ts';
import {
  type ServiceOptions,
  simulateSchedule,
  type SimulatedOutcome,
  type SimulationOptions,
} from '../../src/simulator/index.ts';
import type { Schedule } from '../../src/workload/index.ts';
import { NO_LIMITS } from './point-run.ts';

/** An engine that is short of nothing. */
export const ROOMY_ENGINE: EngineOptions = {
  limits: {
    tokenBudget: 512,
    maxSequences: 256,
    maxWaiting: null,
    maxModelTokens: null,
    longPrefillTokenThreshold: null,
  },
  policy: 'fcfs',
  memory: null,
  costModel: seedCostModel,
  speedScale: 1,
};

/** One such engine. */
export const ROOMY_SERVICE: ServiceOptions = {
  engine: ROOMY_ENGINE,
  replicas: 1,
  router: 'roundRobin',
  method: 'skip',
  disaggregation: null,
  autoscaling: null,
  queueTimeoutNs: null,
};

export interface SimulatedPoint {
  /** In the order they were written. */
  readonly records: readonly RequestRecord[];
  readonly outcome: SimulatedOutcome;
}

/** Exact answers, no budget, ten minutes for a request, unless told otherwise. */
export async function simulatePoint(
  schedule: Schedule,
  service: ServiceOptions = ROOMY_SERVICE,
  overrides: Partial<SimulationOptions> = {},
): Promise<SimulatedPoint> {
  const records: RequestRecord[] = [];
  const { signal } = new AbortController();
  const outcome = await simulateSchedule({
    schedule,
    service,
    answers: { exact: true, seed: 1 },
    promptTokensOf: ({ promptTokens }) => promptTokens ?? 1,
    requestTimeoutNs: 600 * NS_PER_SECOND,
    maxInFlight: 10_000,
    retry: null,
    budget: new Budget(NO_LIMITS),
    atEnd: { kind: 'drain', limitNs: 600 * NS_PER_SECOND },
    stopStarts: signal,
    cancelAll: signal,
    template: {
      experimentHash: 'e',
      runId: 'run',
      pointIndex: 0,
      labels: { model: null, tenant: null, region: null },
    },
    onRecord: (record) => void records.push(record),
    ...overrides,
  });
  return { records, outcome };
}

/** By place in the schedule. */
export function inPlace(records: readonly RequestRecord[]): RequestRecord[] {
  return records.toSorted((a, b) => a.scheduleIndex - b.scheduleIndex);
}
