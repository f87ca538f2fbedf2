/** Laws of sessions in the load generator: trees of calls, whatever fails and wherever it is stopped. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NS_PER_MS, NS_PER_SECOND, VirtualClock } from '../../src/base/index.ts';
import { Budget } from '../../src/loadgen/index.ts';
import { checkRecord, type RequestRecord } from '../../src/record/index.ts';
import type { Release, Schedule } from '../../src/workload/index.ts';
import { fateOf, NO_LIMITS, scheduleOf, startPoint } from '../support/point-run.ts';
import type { Answer } from '../support/virtual-send-port.ts';

const ms = (max: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max }).map((value) => value * NS_PER_MS);

/** Calls of one session: what each waits for, by bits of the calls before it. */
const session = fc.record({
  startNs: ms(3_000),
  calls: fc.array(
    fc.record({
      bits: fc.nat(),
      thinksNs: fc.array(ms(500), { minLength: 8, maxLength: 8 }),
      notBeforeNs: fc.oneof(fc.constant(0), ms(3_000)),
    }),
    { minLength: 1, maxLength: 8 },
  ),
});

const trees = fc.array(session, { minLength: 1, maxLength: 6 }).map((sessions): Schedule => {
  const releases: Release[] = [];
  const names: string[] = [];
  for (const [number, { startNs, calls }] of sessions.entries()) {
    const base = releases.length;
    for (const [at, { bits, thinksNs, notBeforeNs }] of calls.entries()) {
      const after = calls
        .slice(0, at)
        .flatMap((_, call) =>
          (bits >> call) % 2 === 1
            ? [{ index: base + call, thinkNs: thinksNs[call] as number }]
            : [],
        );
      names.push(`session-${number}`);
      releases.push(
        after.length === 0 ? { kind: 'at', atNs: startNs } : { kind: 'turn', after, notBeforeNs },
      );
    }
  }
  const schedule = scheduleOf(releases, { stopNs: 4 * NS_PER_SECOND });
  const requests = schedule.requests.map((request) => ({
    ...request,
    session: names[request.index] as string,
  }));
  return { ...schedule, requests };
});

const answer: fc.Arbitrary<Answer> = fc.record({
  latencyNs: ms(900),
  failed: fc.integer({ min: 0, max: 5 }).map((draw) => draw === 0),
});

interface Trial {
  readonly schedule: Schedule;
  readonly answers: readonly Answer[];
  readonly maxInFlight: number;
  readonly maxRequests: number | null;
  readonly stopAtNs: number | null;
  readonly startNs: number;
}

const trial: fc.Arbitrary<Trial> = fc.record({
  schedule: trees,
  answers: fc.array(answer, { minLength: 1, maxLength: 12 }),
  maxInFlight: fc.integer({ min: 1, max: 20 }),
  maxRequests: fc.option(fc.integer({ min: 1, max: 40 })),
  stopAtNs: fc.option(ms(5_000)),
  startNs: ms(300),
});

/** The records by place, and when each was written. */
async function recordsOf(given: Trial): Promise<RequestRecord[]> {
  return (await writtenRecords(given)).map(({ record }) => record);
}

async function writtenRecords(
  given: Trial,
): Promise<{ readonly record: RequestRecord; readonly atNs: number }[]> {
  const written: { record: RequestRecord; atNs: number }[] = [];
  const clock = new VirtualClock();
  const { schedule, answers, maxInFlight, maxRequests, startNs } = given;
  const run = startPoint(
    schedule,
    (order) => answers[order % answers.length] as Answer,
    {
      maxInFlight,
      startNs,
      budget: new Budget({ ...NO_LIMITS, maxRequests }),
      onRecord: (record) => void written.push({ record, atNs: clock.nowNs() }),
    },
    clock,
  );
  if (given.stopAtNs !== null) clock.at(given.stopAtNs, () => run.stopStarts.abort());
  await clock.runAll();
  await run.outcome;
  return written.toSorted((a, b) => a.record.scheduleIndex - b.record.scheduleIndex);
}

/** When a request that completed had ended. */
function endNs({ timeline }: RequestRecord): number {
  return timeline?.doneNs ?? Number.NaN;
}

describe('sessions of calls that wait for one another', () => {
  it('give every request exactly one sound record', async () => {
    await fc.assert(
      fc.asyncProperty(trial, async (given) => {
        const records = await recordsOf(given);
        expect(records.map(({ scheduleIndex }) => scheduleIndex)).toEqual(
          given.schedule.requests.map(({ index }) => index),
        );
        expect(records.flatMap(checkRecord)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('plan a turn exactly when the last it waits for has ended and been thought about', async () => {
    let turns = 0;
    await fc.assert(
      fc.asyncProperty(trial, async (given) => {
        const records = await recordsOf(given);
        for (const { index, release } of given.schedule.requests) {
          const { dispatch } = records[index] as RequestRecord;
          if (release.kind !== 'turn' || dispatch.kind === 'notReached') continue;
          turns += 1;
          const dues = release.after.map((edge) => {
            const before = records[edge.index] as RequestRecord;
            expect(fateOf(before)).toBe('completed');
            return endNs(before) + edge.thinkNs;
          });
          expect(dispatch.plannedNs).toBe(Math.max(given.startNs + release.notBeforeNs, ...dues));
        }
      }),
      { numRuns: 150 },
    );
    expect(turns).toBeGreaterThan(100);
  });

  it('start nothing of a session once a turn of it has not completed, and say so', async () => {
    let over = 0;
    await fc.assert(
      fc.asyncProperty(trial, async (given) => {
        const written = await writtenRecords(given);
        const names = new Set(written.map(({ record }) => record.labels.session));
        for (const name of names) {
          const turns = written.filter(({ record }) => record.labels.session === name);
          const missed = turns.filter(({ record }) => isMiss(record));
          const overFromNs = Math.min(...missed.map(({ atNs }) => atNs));
          for (const { record } of turns) {
            const { dispatch, scheduleIndex } = record;
            if (given.schedule.requests[scheduleIndex]?.release.kind !== 'turn') continue;
            if (dispatch.kind !== 'notReached') {
              expect(dispatch.plannedNs).toBeLessThanOrEqual(overFromNs);
              continue;
            }
            const isOver = missed.some((one) => fateOf(one.record) !== 'budget');
            expect(dispatch.reason).toBe(isOver ? 'sessionOver' : 'stopped');
            if (isOver) over += 1;
          }
        }
      }),
      { numRuns: 150 },
    );
    expect(over).toBeGreaterThan(100);
  });
});

function isMiss(record: RequestRecord): boolean {
  return !['completed', 'notReached'].includes(fateOf(record));
}
