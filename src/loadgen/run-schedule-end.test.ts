import { describe, expect, it } from 'vitest';
import { InvariantError, NS_PER_SECOND } from '../base/index.ts';
import {
  answering,
  atSeconds,
  fatesOf,
  runPoint,
  scheduleOf,
  startPoint,
} from '../../test/support/point-run.ts';

const S = NS_PER_SECOND;

describe('the end of a point', () => {
  it('drains for its limit, then cancels', async () => {
    const { records, result } = await runPoint(
      scheduleOf(atSeconds(0, 9), { stopNs: 10 * S }),
      (order) => ({ latencyNs: (order === 0 ? 12 : 30) * S }),
      { atEnd: { kind: 'drain', limitNs: 5 * S } },
    );
    expect(fatesOf(records)).toEqual({ 0: 'completed', 1: 'cancelled' });
    expect(result).toMatchObject({ endNs: 15 * S, stopReason: 'duration', partial: false });
  });

  it('cancels at the stop instant when told to', async () => {
    const { records, result } = await runPoint(
      scheduleOf(atSeconds(0, 9), { stopNs: 10 * S }),
      answering(3),
      {
        atEnd: { kind: 'cancel' },
      },
    );
    expect(fatesOf(records)).toEqual({ 0: 'completed', 1: 'cancelled' });
    expect(result.endNs).toBe(10 * S);
  });

  it('does not wait for a stop instant when everything has ended', async () => {
    const { result } = await runPoint(scheduleOf(atSeconds(0, 1)), answering(2));
    expect(result.endNs).toBe(3 * S);
  });

  it('stops starts on the first signal and cancels on the second', async () => {
    const run = startPoint(scheduleOf(atSeconds(0, 1, 2, 3)), answering(10));
    await run.clock.advanceTo(1.5 * S);
    run.stopStarts.abort();
    await run.clock.advanceTo(4 * S);
    expect(run.port.sent).toHaveLength(2);
    run.cancelAll.abort();
    await run.clock.runAll();
    const outcome = await run.outcome;
    expect(fatesOf(run.records)).toEqual({
      0: 'cancelled',
      1: 'cancelled',
      2: 'notReached',
      3: 'notReached',
    });
    expect(outcome).toMatchObject({
      stopReason: 'interrupted',
      partial: true,
      stopNs: 1.5 * S,
      endNs: 4 * S,
    });
  });

  it('calls a drain that was cut short interrupted', async () => {
    const run = startPoint(scheduleOf(atSeconds(0), { stopNs: S }), answering(10));
    await run.clock.advanceTo(2 * S);
    run.cancelAll.abort();
    await run.clock.runAll();
    expect(await run.outcome).toMatchObject({
      stopReason: 'interrupted',
      partial: true,
      stopNs: S,
    });
  });

  it('is not interrupted by a signal to stop what has stopped', async () => {
    const run = startPoint(scheduleOf(atSeconds(0), { stopNs: S }), answering(10));
    await run.clock.advanceTo(2 * S);
    run.stopStarts.abort();
    await run.clock.runAll();
    expect(await run.outcome).toMatchObject({ stopReason: 'duration', partial: false, stopNs: S });
    expect(fatesOf(run.records)).toEqual({ 0: 'completed' });
  });

  it('sends nothing when it was stopped before it began', async () => {
    const { records, port } = await runPoint(scheduleOf(atSeconds(0, 1)), answering(1), {
      stopStarts: AbortSignal.abort(),
    });
    expect(port.sent).toEqual([]);
    expect(fatesOf(records)).toEqual({ 0: 'notReached', 1: 'notReached' });
  });
});

describe('broken contracts', () => {
  it('records everything, then crashes, when the send port throws', async () => {
    const run = startPoint(scheduleOf(atSeconds(0, 1, 2, 3)), (order) => {
      if (order === 1) throw new Error('boom');
      return { latencyNs: 10 * S };
    });
    await run.clock.runAll();
    await expect(run.outcome).rejects.toThrow(InvariantError);
    expect(fatesOf(run.records)).toEqual({
      0: 'cancelled',
      1: 'cancelled',
      2: 'notReached',
      3: 'notReached',
    });
    expect(run.records.flatMap(({ timeline }) => timeline?.notes ?? [])).toEqual(['clientFault']);
  });

  it('writes off a try that does not end when cancelled, whatever comes of it later', async () => {
    const run = startPoint(scheduleOf(atSeconds(0.5), { stopNs: S }), answering(1), {
      send: {
        send: (request) =>
          new Promise((resolve) => {
            run.clock.at(20 * S, () => {
              resolve(run.port.send(request, new AbortController().signal));
            });
          }),
      },
      atEnd: { kind: 'cancel' },
    });
    await run.clock.runAll();
    await expect(run.outcome).rejects.toThrow('did not end request 0');
    expect(run.records).toHaveLength(1);
    expect(fatesOf(run.records)).toEqual({ 0: 'cancelled' });
  });

  it('stops when a request cannot be made', async () => {
    const run = startPoint(scheduleOf(atSeconds(0, 1)), answering(3), {
      prepare: (request) => {
        if (request.index === 1) throw new Error('no such prompt');
        return { body: {}, headers: {}, traceId: null };
      },
    });
    await run.clock.runAll();
    await expect(run.outcome).rejects.toThrow('request 1 could not be made');
    expect(fatesOf(run.records)).toEqual({ 0: 'cancelled', 1: 'notReached' });
  });

  it('refuses a result that is dated before the start', async () => {
    const run = startPoint(scheduleOf(atSeconds(1)), answering(1), {
      send: {
        send: (request, signal) =>
          run.port.send(request, signal).then((r) => ({ ...r, dispatchedNs: 0 })),
      },
    });
    await run.clock.runAll();
    await expect(run.outcome).rejects.toMatchObject({
      cause: { message: expect.stringContaining('dated 0') },
    });
  });

  it.each(['throws', 'rejects'])(
    'stops and passes the failure on when a record cannot be written: %s',
    async (how) => {
      const full = new Error('disk full');
      const run = startPoint(scheduleOf(atSeconds(0, 1, 9)), answering(3), {
        onRecord: () => {
          if (how === 'throws') throw full;
          return Promise.reject(full);
        },
      });
      await run.clock.runAll();
      await expect(run.outcome).rejects.toBe(full);
      expect(run.port.sent).toHaveLength(2);
    },
  );
});

describe('records and progress', () => {
  it('waits for records that are still being written', async () => {
    const run = startPoint(scheduleOf(atSeconds(0)), answering(1), {
      onRecord: () => new Promise((resolve) => run.clock.at(9 * S, resolve)),
    });
    let ended = false;
    void run.outcome.then(() => (ended = true));
    await run.clock.advanceTo(8 * S);
    expect(ended).toBe(false);
    await run.clock.advanceTo(9 * S);
    expect(ended).toBe(true);
  });

  it('reports four times a second until the end', async () => {
    const seen: unknown[] = [];
    await runPoint(scheduleOf(atSeconds(0, 0.5, 1.5)), answering(2), {
      onProgress: ({ atNs, counts }) =>
        seen.push([atNs / S, counts.inFlight, counts.waiting, counts.ended]),
    });
    expect(seen).toHaveLength(13);
    expect(seen.slice(0, 2)).toEqual([
      [0.25, 1, 2, 0],
      [0.5, 2, 1, 0],
    ]);
    expect(seen.filter((_, index) => index % 4 === 3)).toEqual([
      [1, 2, 1, 0],
      [2, 2, 0, 1],
      [3, 1, 0, 2],
    ]);
  });
});
