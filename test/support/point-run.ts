/** Runs one load point in virtual time for a test. */
import { NS_PER_SECOND, nsFromSeconds, VirtualClock } from '../../src/base/index.ts';
import {
  Budget,
  type BudgetLimits,
  type PointOptions,
  type PointOutcome,
  runSchedule,
} from '../../src/loadgen/index.ts';
import type { RequestRecord } from '../../src/record/index.ts';
import type { Release, Schedule, ScheduledRequest } from '../../src/workload/index.ts';
import { type Answer, type VirtualSendPort, virtualSendPort } from './virtual-send-port.ts';

export const NO_LIMITS: BudgetLimits = {
  maxRequests: null,
  maxOutputTokens: null,
  maxCostUsd: null,
  pricePerMillionInputTokensUsd: null,
  pricePerMillionOutputTokensUsd: null,
};

/** A schedule of the given releases. */
export function scheduleOf(
  releases: readonly Release[],
  options: {
    readonly stopNs?: number;
    readonly slots?: number;
    readonly outputTokensMax?: number;
  } = {},
): Schedule {
  return {
    requests: releases.map((release, index): ScheduledRequest => ({
      index,
      release,
      promptTokens: 10,
      outputTokensMax: options.outputTokensMax ?? 20,
      prompt: { kind: 'synthetic', seed: index, tokens: 10, sharedId: null, sharedTokens: 0 },
      session: null,
      class: null,
      priority: 0,
    })),
    stopNs: options.stopNs ?? 60 * NS_PER_SECOND,
    slots: options.slots ?? null,
    hash: 'test',
  };
}

export interface PointRun {
  readonly clock: VirtualClock;
  readonly port: VirtualSendPort;
  /** By place in the schedule, in the order written. */
  readonly records: RequestRecord[];
  readonly stopStarts: AbortController;
  readonly cancelAll: AbortController;
  readonly outcome: Promise<PointOutcome>;
}

/** Starts the point; the test moves the clock. */
export function startPoint(
  schedule: Schedule,
  answerOf: (order: number) => Answer,
  overrides: Partial<PointOptions> = {},
  clock = new VirtualClock(),
): PointRun {
  const port = virtualSendPort(clock, (_request, order) => answerOf(order));
  const records: RequestRecord[] = [];
  const stopStarts = new AbortController();
  const cancelAll = new AbortController();
  const outcome = runSchedule({
    clock,
    pacer: clock,
    schedule,
    startNs: 0,
    send: port,
    prepare: (request) => ({ body: { index: request.index }, headers: {}, traceId: null }),
    requestTimeoutNs: 600 * NS_PER_SECOND,
    maxInFlight: 1_000,
    retry: null,
    latenessLimitNs: null,
    budget: new Budget(NO_LIMITS),
    atEnd: { kind: 'drain', limitNs: 30 * NS_PER_SECOND },
    stopStarts: stopStarts.signal,
    cancelAll: cancelAll.signal,
    template: {
      source: 'measured',
      clock: 'client',
      experimentHash: 'e',
      runId: 'run',
      pointIndex: 0,
      labels: { model: 'm', tenant: null, region: null },
      streamed: true,
      oneTokenPerEvent: false,
    },
    onRecord: (record) => void records.push(record),
    onProgress: null,
    ...overrides,
  });
  // Tests that expect a failure await the outcome only after they moved the clock.
  outcome.catch(() => {});
  return { clock, port, records, stopStarts, cancelAll, outcome };
}

/** Starts the point and runs it to its end. */
export async function runPoint(
  schedule: Schedule,
  answerOf: (order: number) => Answer,
  overrides: Partial<PointOptions> = {},
): Promise<PointRun & { readonly result: PointOutcome }> {
  const run = startPoint(schedule, answerOf, overrides);
  await run.clock.runAll();
  return { ...run, result: await run.outcome };
}

/** How a sent request ended, else why it was not sent. */
export function fateOf(record: RequestRecord): string {
  const { dispatch, end } = record;
  if (dispatch.kind === 'sent') return end?.kind ?? 'sent';
  return dispatch.kind === 'dropped' ? dispatch.reason : 'notReached';
}

/** What became of each request, by place in the schedule. */
export function fatesOf(records: readonly RequestRecord[]): Record<number, string> {
  return Object.fromEntries(records.map((record) => [record.scheduleIndex, fateOf(record)]));
}

/** Open-loop releases at these seconds. */
export function atSeconds(...seconds: readonly number[]): Release[] {
  return seconds.map((second) => ({ kind: 'at', atNs: nsFromSeconds(second) }));
}

/** Every answer takes this long. */
export function answering(seconds: number): () => Answer {
  return () => ({ latencyNs: nsFromSeconds(seconds) });
}
