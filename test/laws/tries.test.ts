/** Laws of retried load: however it is stopped, each request ends once and each try is accounted for. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NS_PER_MS, NS_PER_SECOND, VirtualClock } from '../../src/base/index.ts';
import { Budget, type PointOptions } from '../../src/loadgen/index.ts';
import { checkRecord, LogicalJoin, type RequestRecord } from '../../src/record/index.ts';
import { judge, plainObjective } from '../../src/slo/index.ts';
import { createSummariser } from '../../src/summary/index.ts';
import type { Release, RetryPolicy, Schedule } from '../../src/workload/index.ts';
import { NO_LIMITS, type PointRun, scheduleOf, startPoint } from '../support/point-run.ts';
import { pointOf } from '../support/summary-builder.ts';
import type { Answer } from '../support/virtual-send-port.ts';

const ms = (max: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max }).map((value) => value * NS_PER_MS);

const STOP_NS = 4 * NS_PER_SECOND;

const openLoop = fc.array(ms(5_000), { maxLength: 20 }).map((instants) =>
  scheduleOf(
    instants.toSorted((a, b) => a - b).map((atNs): Release => ({ kind: 'at', atNs })),
    { stopNs: STOP_NS },
  ),
);

const slots = fc
  .record({ slots: fc.integer({ min: 1, max: 4 }), requests: fc.integer({ min: 0, max: 20 }) })
  .map(({ slots: count, requests }) =>
    scheduleOf(
      Array.from({ length: requests }, (): Release => ({ kind: 'slot' })),
      { slots: count, stopNs: STOP_NS },
    ),
  );

const users = fc
  .array(fc.array(ms(800), { minLength: 1, maxLength: 6 }), { maxLength: 4 })
  .map((thinks) => {
    const releases: Release[] = [];
    for (const thinksNs of thinks) {
      for (const [turn, thinkNs] of thinksNs.entries()) {
        releases.push({ kind: 'after', index: turn === 0 ? null : releases.length - 1, thinkNs });
      }
    }
    return scheduleOf(releases, { stopNs: STOP_NS });
  });

const policy: fc.Arbitrary<RetryPolicy> = fc.record({
  attempts: fc.integer({ min: 2, max: 5 }),
  on: fc.constantFrom(['connect'], ['connect', 'timeout'], ['timeout'] as const),
  backoff: fc.record({
    baseNs: fc.integer({ min: 1, max: 600 }).map((value) => value * NS_PER_MS),
    factor: fc.constantFrom(1, 2, 3.5),
    maxNs: fc.integer({ min: 1, max: 2_000 }).map((value) => value * NS_PER_MS),
    jitterShare: fc.constantFrom(0, 0.25, 1),
  }),
  honoursRetryAfter: fc.boolean(),
  deadlineNs: fc.option(fc.integer({ min: 100, max: 4_000 }).map((value) => value * NS_PER_MS)),
  seed: fc.nat(),
}) as fc.Arbitrary<RetryPolicy>;

interface Trial {
  readonly schedule: Schedule;
  readonly answers: readonly Answer[];
  readonly overrides: Partial<PointOptions> & { readonly retry: RetryPolicy };
  readonly stopAtNs: number | null;
  readonly cancelAfterNs: number | null;
}

const trial: fc.Arbitrary<Trial> = fc.record({
  schedule: fc.oneof(openLoop, slots, users),
  answers: fc.array(fc.record({ latencyNs: ms(1_500), failed: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  }),
  overrides: fc
    .record({
      retry: policy,
      maxInFlight: fc.integer({ min: 4, max: 8 }),
      latenessLimitNs: fc.constant(null),
      requestTimeoutNs: ms(1_200).map((timeoutNs) => timeoutNs + NS_PER_MS),
      atEnd: fc.oneof(
        fc.constant({ kind: 'cancel' } as const),
        ms(3_000).map((limitNs) => ({ kind: 'drain', limitNs }) as const),
      ),
      maxRequests: fc.option(fc.integer({ min: 1, max: 40 })),
    })
    .map(({ maxRequests, ...rest }) => ({
      ...rest,
      budget: new Budget({ ...NO_LIMITS, maxRequests }),
    })),
  stopAtNs: fc.option(ms(5_000)),
  cancelAfterNs: fc.option(ms(2_000)),
});

async function runTrial(given: Trial): Promise<PointRun> {
  const clock = new VirtualClock();
  const answerOf = (order: number): Answer => given.answers[order % given.answers.length] as Answer;
  const run = startPoint(given.schedule, answerOf, given.overrides, clock);
  if (given.stopAtNs !== null) {
    clock.at(given.stopAtNs, () => run.stopStarts.abort());
    if (given.cancelAfterNs !== null) {
      clock.at(given.stopAtNs + given.cancelAfterNs, () => run.cancelAll.abort());
    }
  }
  await clock.runAll();
  return run;
}

function byRequest(records: readonly RequestRecord[]): RequestRecord[][] {
  const tries = new Map<number, RequestRecord[]>();
  for (const record of records) {
    tries.set(record.scheduleIndex, [...(tries.get(record.scheduleIndex) ?? []), record]);
  }
  return [...tries.values()];
}

function joined(records: readonly RequestRecord[]): RequestRecord[] {
  const requests: RequestRecord[] = [];
  const join = new LogicalJoin((request) => requests.push(request));
  for (const record of records) join.add(record);
  join.finish();
  return requests;
}

describe('a load with retries, wherever it is stopped', () => {
  it('gives every place tries 1 to n, each once, and never more than allowed', async () => {
    await fc.assert(
      fc.asyncProperty(trial, async (given) => {
        const { records, outcome, port } = await runTrial(given);
        const { counts } = await outcome;
        expect(records.flatMap(checkRecord)).toEqual([]);
        const places = byRequest(records);
        expect(places.length).toBe(given.schedule.requests.length);
        for (const tries of places) {
          expect(tries.map(({ attempt }) => attempt)).toEqual(tries.map((_, at) => at + 1));
          expect(tries.length).toBeLessThanOrEqual(given.overrides.retry.attempts);
          expect(new Set(tries.map(({ logicalRequestId }) => logicalRequestId)).size).toBe(1);
        }
        expect(new Set(records.map(({ requestId }) => requestId)).size).toBe(records.length);
        expect(counts.tries).toBe(port.sent.length);
        const dropped = Object.values(counts.dropped).reduce((sum, count) => sum + count, 0);
        expect(counts.ended + dropped + counts.notReached).toBe(counts.scheduled);
        expect([counts.waiting, counts.inFlight, counts.betweenTries]).toEqual([0, 0, 0]);
      }),
      { numRuns: 300 },
    );
  });

  it('starts no try before its backoff, before the one ahead has ended or past its deadline', async () => {
    await fc.assert(
      fc.asyncProperty(trial, async (given) => {
        const { records } = await runTrial(given);
        const { backoff, deadlineNs } = given.overrides.retry;
        for (const tries of byRequest(records)) {
          const firstNs = tries[0]?.dispatch.plannedNs ?? 0;
          for (const [at, record] of tries.entries()) {
            const before = tries[at - 1];
            if (before === undefined || record.dispatch.plannedNs === null) continue;
            const { end, timeline } = before;
            const endedNs = end?.kind === 'timedOut' ? end.deadlineNs : (timeline?.writtenNs ?? 0);
            const full = Math.min(backoff.maxNs, backoff.baseNs * backoff.factor ** (at - 1));
            const least = Math.floor(full * (1 - backoff.jitterShare));
            expect(record.dispatch.plannedNs).toBeGreaterThanOrEqual(endedNs + least);
            expect(record.dispatch.plannedNs).toBe(before.nextTryNs);
            if (deadlineNs !== null) {
              expect(record.dispatch.plannedNs).toBeLessThan(firstNs + deadlineNs);
              if (record.end?.kind === 'timedOut') {
                expect(record.end.deadlineNs).toBeLessThanOrEqual(firstNs + deadlineNs);
              }
            }
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('ends each request exactly once, whatever the order in which its tries are read', async () => {
    const shuffled = fc.tuple(trial, fc.infiniteStream(fc.nat()));
    await fc.assert(
      fc.asyncProperty(shuffled, async ([given, keys]) => {
        const { records } = await runTrial(given);
        const requests = joined(records).toSorted((a, b) => a.scheduleIndex - b.scheduleIndex);
        expect(requests.map(({ scheduleIndex }) => scheduleIndex)).toEqual(
          given.schedule.requests.map(({ index }) => index),
        );
        expect(requests.flatMap(checkRecord)).toEqual([]);
        const mixed = records
          .map((record) => ({ record, key: keys.next().value as number }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ record }) => record);
        expect(joined(mixed).toSorted((a, b) => a.scheduleIndex - b.scheduleIndex)).toEqual(
          requests,
        );
        for (const request of requests) {
          const tries = records.filter(
            ({ scheduleIndex }) => scheduleIndex === request.scheduleIndex,
          );
          const first = tries[0] as RequestRecord;
          const last = tries.at(-1) as RequestRecord;
          expect(request.dispatch.plannedNs).toBe(first.dispatch.plannedNs);
          const ended = last.nextTryNs === null ? (last.end?.kind ?? null) : 'cancelled';
          expect(request.end?.kind ?? null).toBe(ended);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('closes both ledgers, and the judge says of a request what its last try says', async () => {
    const objective = plainObjective();
    await fc.assert(
      fc.asyncProperty(trial, async (given) => {
        const { records, outcome } = await runTrial(given);
        const { stopNs, partial, stopReason } = await outcome;
        const point = pointOf({ stopNs, partial, stopReason, recordCount: records.length });
        const summariser = createSummariser({
          toolVersion: 't',
          experimentHash: 'e',
          source: 'measured',
          clock: 'client',
          prefixCache: 'unique',
          exactOutput: false,
          points: [point],
          objective,
          correctness: objective,
        });
        for (const record of records) summariser.add(record);
        const [summary] = summariser.finish().points;
        const due = records.filter(({ dispatch }) => dispatch.kind !== 'notReached');
        const requests = joined(due);
        expect(summary?.ledger.scheduled).toBe(requests.length);
        const good = requests.filter((request) => judge(request, objective).verdict === 'good');
        expect(summary?.verdicts.good).toBe(good.length);
        if (due.length === 0) return;
        const { tries } = summary ?? {};
        expect(tries?.ledger.scheduled).toBe(due.length);
        expect(tries?.sent).toBe(due.filter(({ dispatch }) => dispatch.kind === 'sent').length);
        expect(summary?.validity.reasons.filter(({ check }) => check === 'ledger')).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});
