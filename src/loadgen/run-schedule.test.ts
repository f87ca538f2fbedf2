import { describe, expect, it } from 'vitest';
import { InvariantError, NS_PER_SECOND, VirtualClock, uuidOf } from '../base/index.ts';
import type { RequestRecord } from '../record/index.ts';
import type { Release } from '../workload/index.ts';
import {
  answering,
  atSeconds,
  fatesOf,
  NO_LIMITS,
  runPoint,
  scheduleOf,
  startPoint,
} from '../../test/support/point-run.ts';
import { Budget } from './budget.ts';
import type { Pacer } from './pacer.ts';

const S = NS_PER_SECOND;

const slots = (count: number): Release[] => Array.from({ length: count }, () => ({ kind: 'slot' }));

/** [planned, dispatched] in seconds of every request that was sent, by place in the schedule. */
function starts(records: readonly RequestRecord[]): (readonly [number, number])[] {
  return records
    .toSorted((a, b) => a.scheduleIndex - b.scheduleIndex)
    .flatMap(({ dispatch }) =>
      dispatch.kind === 'sent'
        ? [[dispatch.plannedNs / S, dispatch.dispatchedNs / S] as const]
        : [],
    );
}

describe('open loop', () => {
  it('starts every arrival at its instant, however slow the answers are', async () => {
    const { records, result } = await runPoint(
      scheduleOf(atSeconds(0, 1, 2.5, 2.5)),
      answering(20),
    );
    expect(starts(records)).toEqual([
      [0, 0],
      [1, 1],
      [2.5, 2.5],
      [2.5, 2.5],
    ]);
    expect(result).toMatchObject({
      stopReason: 'duration',
      partial: false,
      inFlightMax: 4,
      lagMaxNs: 0,
    });
    expect(records.map(({ inFlightAtDispatch }) => inFlightAtDispatch)).toEqual([1, 2, 3, 4]);
  });

  it('counts instants from the start of the point', async () => {
    const { records, result } = await runPoint(scheduleOf(atSeconds(1)), answering(1), {
      startNs: 7 * S,
    });
    expect(starts(records)).toEqual([[8, 8]]);
    expect(result.stopNs).toBe(67 * S);
  });

  it('gives each try its own deadline and a request id unique over the run', async () => {
    const { port } = await runPoint(scheduleOf(atSeconds(0, 1)), answering(1), {
      requestTimeoutNs: 9 * S,
    });
    expect(port.sent.map(({ request }) => [request.requestId, request.deadlineNs / S])).toEqual([
      [uuidOf('run/0/0'), 9],
      [uuidOf('run/0/1'), 10],
    ]);
  });

  it('records what timed out, failed and completed as such and releases its place', async () => {
    const { records } = await runPoint(
      scheduleOf(atSeconds(0, 1, 2)),
      (order) => ({ latencyNs: order === 0 ? 99 * S : S, failed: order === 1 }),
      { requestTimeoutNs: 5 * S, maxInFlight: 2 },
    );
    expect(fatesOf(records)).toEqual({ 0: 'timedOut', 1: 'failed', 2: 'completed' });
  });

  it('does not start what is due at or after the stop instant', async () => {
    const { records, result } = await runPoint(
      scheduleOf(atSeconds(0, 4.999, 5, 6), { stopNs: 5 * S }),
      answering(1),
    );
    expect(fatesOf(records)).toEqual({
      0: 'completed',
      1: 'completed',
      2: 'notReached',
      3: 'notReached',
    });
    expect(result.stopNs).toBe(5 * S);
    const [third] = records.filter(({ scheduleIndex }) => scheduleIndex === 2);
    expect(third?.dispatch).toEqual({
      kind: 'notReached',
      plannedNs: 5 * S,
      reason: 'stopped',
    });
  });

  it('has the next request made before it is due', async () => {
    const made: [number, number][] = [];
    const clock = new VirtualClock();
    const run = startPoint(
      scheduleOf(atSeconds(1, 3)),
      answering(1),
      {
        prepare: (request) => {
          made.push([request.index, clock.nowNs() / S]);
          return { body: {}, headers: {}, traceId: 't' };
        },
      },
      clock,
    );
    await clock.runAll();
    await run.outcome;
    expect(made).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(run.records.map(({ traceId }) => traceId)).toEqual(['t', 't']);
  });

  it('ends at once with nothing to send', async () => {
    const { result, records } = await runPoint(scheduleOf([]), answering(1));
    expect([result.endNs, records.length]).toEqual([0, 0]);
  });
});

describe('a late generator', () => {
  /** Wakes only on whole seconds. */
  const sleepy = (clock: VirtualClock): Pacer => ({
    at: (atNs, action) => clock.at(Math.ceil(atNs / S) * S, action),
  });

  it('fires all due, keeps their planned instants and never shifts what follows', async () => {
    const clock = new VirtualClock();
    const run = startPoint(
      scheduleOf(atSeconds(0.25, 0.5, 1, 1.25)),
      answering(1),
      { pacer: sleepy(clock) },
      clock,
    );
    await clock.runAll();
    expect((await run.outcome).lagMaxNs).toBe(0.75 * S);
    expect(starts(run.records)).toEqual([
      [0.25, 1],
      [0.5, 1],
      [1, 1],
      [1.25, 2],
    ]);
  });

  it('drops what is later than the limit, and only that', async () => {
    const clock = new VirtualClock();
    const run = startPoint(
      scheduleOf(atSeconds(0.25, 0.5, 1)),
      answering(1),
      { pacer: sleepy(clock), latenessLimitNs: 0.5 * S },
      clock,
    );
    await clock.runAll();
    expect((await run.outcome).counts.dropped.late).toBe(1);
    expect(fatesOf(run.records)).toEqual({ 0: 'late', 1: 'completed', 2: 'completed' });
  });

  it('still fires at the stop instant what was due before it', async () => {
    const clock = new VirtualClock();
    const run = startPoint(
      scheduleOf(atSeconds(1.5), { stopNs: 1.75 * S }),
      answering(1),
      { pacer: sleepy(clock) },
      clock,
    );
    await clock.runAll();
    await run.outcome;
    expect(starts(run.records)).toEqual([[1.5, 1.75]]);
  });
});

describe('ceiling and budget', () => {
  it('drops arrivals that find the ceiling reached and goes on after', async () => {
    const { records, result, port } = await runPoint(
      scheduleOf(atSeconds(0, 1, 2, 3)),
      answering(2.5),
      {
        maxInFlight: 2,
      },
    );
    expect(fatesOf(records)).toEqual({
      0: 'completed',
      1: 'completed',
      2: 'ceiling',
      3: 'completed',
    });
    expect(result.counts).toMatchObject({
      scheduled: 4,
      ended: 3,
      dropped: { ceiling: 1 },
      notReached: 0,
    });
    expect(port.inFlightMax()).toBe(2);
  });

  it('drops the due request that the budget cannot bear and stops', async () => {
    const { records, result } = await runPoint(scheduleOf(atSeconds(0, 1, 2, 2, 3)), answering(9), {
      budget: new Budget({ ...NO_LIMITS, maxRequests: 2 }),
    });
    expect(fatesOf(records)).toEqual({
      0: 'completed',
      1: 'completed',
      2: 'budget',
      3: 'budget',
      4: 'notReached',
    });
    expect(result).toMatchObject({ stopReason: 'budget', partial: true });
    expect(result.stopNs).toBe(2 * S + 1);
  });

  it('sends nothing smaller in the place of what the budget could not bear', async () => {
    const schedule = scheduleOf(atSeconds(0, 0));
    const requests = schedule.requests.map((request) => ({
      ...request,
      outputTokensMax: request.index === 0 ? 40 : 1,
    }));
    const { port } = await runPoint({ ...schedule, requests }, answering(1), {
      budget: new Budget({ ...NO_LIMITS, maxOutputTokens: 30 }),
    });
    expect(port.sent).toEqual([]);
  });

  it('spends what the server said, not what was allowed', async () => {
    const budget = new Budget({ ...NO_LIMITS, maxOutputTokens: 50 });
    const { records } = await runPoint(
      scheduleOf(atSeconds(0, 1, 2, 3), { outputTokensMax: 40 }),
      () => ({ latencyNs: 0.5 * S, completionTokens: 4 }),
      { budget },
    );
    expect(fatesOf(records)).toEqual({
      0: 'completed',
      1: 'completed',
      2: 'completed',
      3: 'budget',
    });
    expect(budget.spending()).toEqual({ requests: 3, outputTokens: 12, costUsd: 0 });
  });

  it('does not let a closed loop run through its schedule once the budget is spent', async () => {
    const { result } = await runPoint(scheduleOf(slots(50), { slots: 2 }), answering(1), {
      budget: new Budget({ ...NO_LIMITS, maxRequests: 4 }),
    });
    expect(result.counts).toMatchObject({ ended: 4, dropped: { budget: 1 }, notReached: 45 });
  });
});

describe('closed loop', () => {
  it('keeps the slots full: each start is planned at the end that freed its slot', async () => {
    const { records, port, result } = await runPoint(
      scheduleOf(slots(5), { slots: 2 }),
      (order) => ({ latencyNs: (order + 1) * S }),
    );
    expect(starts(records)).toEqual([
      [0, 0],
      [0, 0],
      [1, 1],
      [2, 2],
      [4, 4],
    ]);
    expect(port.inFlightMax()).toBe(2);
    expect(result).toMatchObject({ stopReason: 'requests', partial: false, stopNs: 4 * S + 1 });
  });

  it('stops releasing at the stop instant and says how many were not reached', async () => {
    const { records, result } = await runPoint(
      scheduleOf(slots(10), { slots: 1, stopNs: 3 * S }),
      answering(1),
    );
    expect(result.counts).toMatchObject({ ended: 3, notReached: 7 });
    expect(result.stopReason).toBe('duration');
    expect(records.at(-1)?.dispatch).toEqual({
      kind: 'notReached',
      plannedNs: null,
      reason: 'stopped',
    });
  });

  it('lets a user think from the end of the answer, whatever its outcome', async () => {
    const user: Release[] = [
      { kind: 'after', index: null, thinkNs: S },
      { kind: 'after', index: 0, thinkNs: 2 * S },
      { kind: 'after', index: 1, thinkNs: 0 },
    ];
    const { records } = await runPoint(scheduleOf(user), (order) => ({
      latencyNs: 5 * S,
      failed: order === 0,
    }));
    expect(fatesOf(records)).toEqual({ 0: 'failed', 1: 'completed', 2: 'completed' });
    expect(starts(records)).toEqual([
      [1, 1],
      [8, 8],
      [13, 13],
    ]);
  });

  it('lets a user go on after a dropped request', async () => {
    const releases: Release[] = [
      ...atSeconds(0),
      { kind: 'after', index: null, thinkNs: S },
      { kind: 'after', index: 1, thinkNs: 4 * S },
    ];
    const { records } = await runPoint(scheduleOf(releases), answering(3), { maxInFlight: 1 });
    expect(fatesOf(records)).toEqual({ 0: 'completed', 1: 'ceiling', 2: 'completed' });
    expect(starts(records)).toEqual([
      [0, 0],
      [5, 5],
    ]);
  });

  it('plans the next start from the answer’s end, so a lingering client shows as lag', async () => {
    const { records } = await runPoint(scheduleOf(slots(2), { slots: 1 }), () => ({
      latencyNs: S,
      lingerNs: 2 * S,
    }));
    expect(starts(records)).toEqual([
      [0, 0],
      [1, 3],
    ]);
  });

  it('does not accept more slots than the ceiling allows', () => {
    expect(() =>
      startPoint(scheduleOf(slots(3), { slots: 3 }), answering(1), { maxInFlight: 2 }),
    ).toThrow(InvariantError);
  });
});
