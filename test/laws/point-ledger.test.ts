/** Laws of the load generator: whatever happens, every scheduled request is accounted for once. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NS_PER_MS, NS_PER_SECOND, VirtualClock } from '../../src/base/index.ts';
import { Budget, type PointOptions, type PointOutcome } from '../../src/loadgen/index.ts';
import { checkRecord, type RequestRecord } from '../../src/record/index.ts';
import type { Release, Schedule } from '../../src/workload/index.ts';
import { fateOf, NO_LIMITS, type PointRun, scheduleOf, startPoint } from '../support/point-run.ts';
import type { Answer } from '../support/virtual-send-port.ts';

const ms = (max: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max }).map((value) => value * NS_PER_MS);

const openLoop = fc.array(ms(5_000), { maxLength: 30 }).map((instants) =>
  scheduleOf(
    instants.toSorted((a, b) => a - b).map((atNs): Release => ({ kind: 'at', atNs })),
    { stopNs: 4 * NS_PER_SECOND },
  ),
);

const slots = fc
  .record({ slots: fc.integer({ min: 1, max: 4 }), requests: fc.integer({ min: 0, max: 30 }) })
  .map(({ slots: count, requests }) =>
    scheduleOf(
      Array.from({ length: requests }, (): Release => ({ kind: 'slot' })),
      { slots: count, stopNs: 4 * NS_PER_SECOND },
    ),
  );

/** Sessions that arrive openly, each a chain of turns; and users present from the start. */
const chains = fc
  .array(
    fc.record({
      arrivalNs: fc.option(ms(4_000)),
      thinksNs: fc.array(ms(800), { minLength: 1, maxLength: 8 }),
    }),
    { maxLength: 6 },
  )
  .map((sessions) => {
    const releases: Release[] = [];
    for (const { arrivalNs, thinksNs } of sessions) {
      for (const [turn, thinkNs] of thinksNs.entries()) {
        if (turn > 0) releases.push({ kind: 'after', index: releases.length - 1, thinkNs });
        else if (arrivalNs === null) releases.push({ kind: 'after', index: null, thinkNs });
        else releases.push({ kind: 'at', atNs: arrivalNs });
      }
    }
    return scheduleOf(releases, { stopNs: 4 * NS_PER_SECOND });
  });

const answer: fc.Arbitrary<Answer> = fc.record({
  latencyNs: ms(2_000),
  failed: fc.boolean(),
  completionTokens: fc.integer({ min: 0, max: 40 }),
  lingerNs: fc.oneof(fc.constant(0), ms(50)),
});

interface Trial {
  readonly schedule: Schedule;
  readonly answers: readonly Answer[];
  readonly overrides: Partial<PointOptions>;
  readonly pacerLateNs: readonly number[];
  readonly stopAtNs: number | null;
  readonly cancelAfterNs: number | null;
}

const trial: fc.Arbitrary<Trial> = fc.record({
  schedule: fc.oneof(openLoop, slots, chains),
  answers: fc.array(answer, { minLength: 1, maxLength: 10 }),
  overrides: fc
    .record({
      startNs: ms(500),
      maxInFlight: fc.integer({ min: 4, max: 8 }),
      latenessLimitNs: fc.option(ms(30)),
      requestTimeoutNs: ms(1_500).map((timeoutNs) => timeoutNs + NS_PER_MS),
      atEnd: fc.oneof(
        fc.constant({ kind: 'cancel' } as const),
        ms(1_500).map((limitNs) => ({ kind: 'drain', limitNs }) as const),
      ),
      maxRequests: fc.option(fc.integer({ min: 1, max: 40 })),
    })
    .map(({ maxRequests, ...rest }) => ({
      ...rest,
      budget: new Budget({ ...NO_LIMITS, maxRequests }),
    })),
  pacerLateNs: fc.array(ms(60), { minLength: 1, maxLength: 6 }),
  stopAtNs: fc.option(ms(6_000)),
  cancelAfterNs: fc.option(ms(2_000)),
});

interface Finished extends PointRun {
  readonly result: PointOutcome;
}

async function runTrial(given: Trial): Promise<Finished> {
  const clock = new VirtualClock();
  let woken = 0;
  const run = startPoint(
    given.schedule,
    (order) => given.answers[order % given.answers.length] as Answer,
    {
      ...given.overrides,
      pacer: {
        at(atNs, action) {
          woken += 1;
          return clock.at(
            atNs + (given.pacerLateNs[woken % given.pacerLateNs.length] ?? 0),
            action,
          );
        },
      },
    },
    clock,
  );
  if (given.stopAtNs !== null) {
    clock.at(given.stopAtNs, () => run.stopStarts.abort());
    if (given.cancelAfterNs !== null) {
      clock.at(given.stopAtNs + given.cancelAfterNs, () => run.cancelAll.abort());
    }
  }
  await clock.runAll();
  return { ...run, result: await run.outcome };
}

function tally(records: readonly RequestRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const record of records) counts[fateOf(record)] = (counts[fateOf(record)] ?? 0) + 1;
  return counts;
}

describe('every point, wherever it is stopped', () => {
  it('writes exactly one record per scheduled request and closes the ledger', async () => {
    await fc.assert(
      fc.asyncProperty(trial, async (given) => {
        const { records, result, port } = await runTrial(given);
        const indexes = records.map(({ scheduleIndex }) => scheduleIndex).toSorted((a, b) => a - b);
        expect(indexes).toEqual(given.schedule.requests.map(({ index }) => index));

        expect(records.flatMap(checkRecord)).toEqual([]);

        const counts = tally(records);
        const sum = (...fates: string[]): number =>
          fates.reduce((total, fate) => total + (counts[fate] ?? 0), 0);
        expect(port.sent.length).toBe(sum('completed', 'failed', 'timedOut', 'cancelled'));
        expect(result.counts).toEqual({
          scheduled: records.length,
          waiting: 0,
          inFlight: 0,
          betweenTries: 0,
          ended: port.sent.length,
          dropped: {
            ceiling: sum('ceiling'),
            late: sum('late'),
            budget: sum('budget'),
            generatorLost: 0,
          },
          notReached: sum('notReached'),
          tries: port.sent.length,
        });
      }),
      { numRuns: 300 },
    );
  });

  it('plans nothing in the ledger at or after its stop, sends nothing early, keeps its ceiling', async () => {
    await fc.assert(
      fc.asyncProperty(trial, async (given) => {
        const { records, result, port } = await runTrial(given);
        const startNs = given.overrides.startNs ?? 0;
        expect(result.stopNs).toBeLessThanOrEqual(startNs + given.schedule.stopNs);
        for (const { dispatch, scheduleIndex } of records) {
          const release = given.schedule.requests[scheduleIndex]?.release;
          if (dispatch.kind !== 'notReached') {
            expect(dispatch.plannedNs).toBeLessThan(result.stopNs);
            expect(dispatch.plannedNs).toBeGreaterThanOrEqual(startNs);
          }
          if (dispatch.kind === 'sent') {
            expect(dispatch.dispatchedNs).toBeGreaterThanOrEqual(dispatch.plannedNs);
          }
          if (release?.kind === 'at') expect(dispatch.plannedNs).toBe(startNs + release.atNs);
        }
        expect(port.inFlightMax()).toBeLessThanOrEqual(given.overrides.maxInFlight ?? 0);
        expect(port.inFlightMax()).toBe(result.inFlightMax);
      }),
      { numRuns: 300 },
    );
  });

  it('starts nothing after a stop signal', async () => {
    await fc.assert(
      fc.asyncProperty(trial, async (given) => {
        const { port } = await runTrial(given);
        const late = port.sent.filter(({ atNs }) => atNs > (given.stopAtNs ?? Infinity));
        expect(late).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('releases a successor only when its predecessor has ended and the user has thought', async () => {
    await fc.assert(
      fc.asyncProperty(trial, async (given) => {
        const { records } = await runTrial(given);
        const byIndex = new Map(records.map((record) => [record.scheduleIndex, record]));
        for (const { index, release } of given.schedule.requests) {
          const own = byIndex.get(index)?.dispatch;
          if (release.kind !== 'after' || release.index === null) continue;
          if (own === undefined || own.kind === 'notReached') continue;
          const before = byIndex.get(release.index);
          expect(before?.dispatch.kind).not.toBe('notReached');
          const endedNs = before?.timeline?.doneNs ?? before?.dispatch.plannedNs ?? Infinity;
          expect(own.plannedNs).toBeGreaterThanOrEqual(endedNs + release.thinkNs);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('offered equals configured', () => {
  it('whatever the answers do and however late the pacer wakes, without drift', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 200 }),
        fc.array(ms(40), { minLength: 1, maxLength: 9 }),
        fc.array(answer, { minLength: 1, maxLength: 10 }),
        async (rateRps, pacerLateNs, answers) => {
          const releases = Array.from({ length: rateRps }, (_, index): Release => ({
            kind: 'at',
            atNs: Math.round((index * NS_PER_SECOND) / rateRps),
          }));
          const { port } = await runTrial({
            schedule: scheduleOf(releases, { stopNs: NS_PER_SECOND }),
            answers,
            overrides: {},
            pacerLateNs,
            stopAtNs: null,
            cancelAfterNs: null,
          });
          // Raw stamps of the receiving end, not the generator's own records.
          const stamps = port.sent.map(({ atNs }) => atNs);
          expect(stamps).toHaveLength(rateRps);
          for (const [index, atNs] of stamps.entries()) {
            const lateNs = atNs - Math.round((index * NS_PER_SECOND) / rateRps);
            expect(lateNs).toBeGreaterThanOrEqual(0);
            expect(lateNs).toBeLessThanOrEqual(40 * NS_PER_MS);
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});
