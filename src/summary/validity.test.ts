import { describe, expect, it } from 'vitest';
import { QUIET, records, severities, validityOf } from '../../test/support/made-validity.ts';
import { pointOf } from '../../test/support/summary-builder.ts';
import { nsFromMs, nsFromSeconds } from '../base/index.ts';
import type { RequestRecord } from '../record/index.ts';

describe('a clean run', () => {
  it('gives no reason at all', () => {
    expect(validityOf(records(100), { points: [pointOf({ generator: QUIET })] })).toEqual({
      valid: true,
      reasons: [],
    });
  });
});

describe('planted defects', () => {
  it('a lost record leaves a hole in the schedule', () => {
    const validity = validityOf(records(100).filter((_, index) => index !== 40));
    expect(validity.valid).toBe(false);
    expect(validity.reasons[0]?.message).toMatch(/1 place of the schedule without a record/);
  });

  it('a lost tail of the records is missed by their number', () => {
    const points = [pointOf({ recordCount: 100 })];
    expect(validityOf(records(100), { points }).valid).toBe(true);
    const validity = validityOf(records(93), { points });
    expect(severities(validity)).toEqual({ ledger: 'invalid' });
    expect(validity.reasons[0]?.message).toMatch(/7 places of the schedule without a record/);
  });

  it('a lost generator is told from other losses by its stripe', () => {
    const without = (isLost: (index: number) => boolean) =>
      validityOf(records(100).filter((_, index) => !isLost(index)));
    const lost = without((index) => index >= 40 && index % 4 === 2);
    expect(severities(lost)).toEqual({ ledger: 'invalid', lostWorker: 'invalid' });
    expect(lost.reasons[1]?.message).toMatch(
      /^1 place in 4 has no record from place 42 to the end/,
    );
    const ended = without((index) => index >= 40 && index < 80 && index % 4 === 2);
    expect(severities(ended), 'it came back').toEqual({ ledger: 'invalid' });
    expect(severities(without((index) => index >= 40 && index < 50))).toEqual({
      ledger: 'invalid',
    });
  });

  it('a doubled record is a repetition; a retry is not', () => {
    const all = records(100);
    const first = all[0] as RequestRecord;
    expect(severities(validityOf([...all, first]))).toEqual({ ledger: 'invalid' });
    expect(validityOf([...all, { ...first, attempt: 2 }]).valid).toBe(true);
  });

  it('failures of the keep-alive race are told apart from load', () => {
    const raced = records(100).map((record, index): RequestRecord => {
      const { timeline } = record;
      if (index !== 7 || timeline === null) return record;
      const end = { kind: 'failed', failure: 'socket', error: null } as const;
      return { ...record, end, timeline: { ...timeline, notes: ['reusedConnectionLost'] } };
    });
    const validity = validityOf(raced);
    expect(severities(validity)).toEqual({ lostOnReuse: 'warning' });
    expect(validity.reasons[0]?.message).toMatch(/^1 failed request met a kept connection that/);
    expect(severities(validityOf(records(100)))).toEqual({});
  });

  it('a lost request is in the count of those in flight, and in no record', () => {
    // A request every 50 ms that stays 141 ms: three in flight, once the first have come.
    const counted = (leaked: number) =>
      records(100, (index) => ({
        inFlightAtDispatch: Math.min(index + 1, 3) + (index >= 40 ? leaked : 0),
      }));
    expect(severities(validityOf(counted(0)))).toEqual({});
    const lost = validityOf(counted(1));
    expect(severities(lost)).toEqual({ littlesLaw: 'invalid' });
    expect(lost.reasons[0]?.message).toMatch(/differ by 2\d\.\d %: requests without a record/);
  });

  it('a start lost by the generator invalidates', () => {
    const lost = records(100, (index) => (index === 3 ? { dropped: 'generatorLost' } : {}));
    expect(severities(validityOf(lost))).toEqual({ lostStarts: 'invalid' });
  });

  it('a generator process that died in the middle invalidates, and says how', () => {
    const process = {
      requestCount: 50,
      loopUtilisationShare: 0.1,
      loopStallMaxNs: 0,
      hostStallMaxNs: 0,
      connectionCount: 1,
      lost: null,
    };
    const processes = [process, { ...process, lost: 'was ended by SIGKILL' }];
    const judged = validityOf(records(100), {
      points: [pointOf({ generator: { ...QUIET, processes } })],
    });
    expect(severities(judged)).toEqual({ lostGenerator: 'invalid' });
    expect(judged.reasons[0]?.message).toBe(
      '1 of 2 generator processes died in the middle: it was ended by SIGKILL',
    );
    const whole = pointOf({ generator: { ...QUIET, processes: [process, process] } });
    expect(validityOf(records(100), { points: [whole] }).valid).toBe(true);
  });

  it('requests that waited for a connection are a note, with why it was opened', () => {
    const cold = records(100, (index) => (index < 3 ? { timeline: { reused: false } } : {}));
    const connectionsInLoad = { allBusy: 1, serverClosed: 2, idleEnded: 0, givenUp: 0 };
    const points = [pointOf({ generator: { ...QUIET, connectionsInLoad } })];
    const judged = validityOf(cold, { points });
    expect(severities(judged)).toEqual({ coldConnections: 'note' });
    expect(judged.reasons[0]?.message).toBe(
      '3 requests of 100 judged waited for a connection, which is in TTFT; opened under load: 2 for ones the server had closed, 1 because all were busy',
    );
    const reused = records(100, () => ({ timeline: { reused: true } }));
    expect(validityOf(reused, { points }).reasons).toEqual([]);
    expect(validityOf(cold, { points: [pointOf({ generator: QUIET })] }).reasons).toEqual([]);
  });

  it('a due request never taken up is a lost start, unless the run was cut short', () => {
    const overlooked = records(100, (index) => (index === 99 ? { notReached: true } : {}));
    expect(severities(validityOf(overlooked))).toEqual({ lostStarts: 'invalid' });
    expect(validityOf(overlooked, { points: [pointOf({ partial: true })] }).valid).toBe(true);
  });

  it('a request sent after the stop does not belong to the schedule', () => {
    const late = records(100, (index) => (index === 99 ? { plannedNs: nsFromSeconds(10) } : {}));
    expect(severities(validityOf(late))).toEqual({ ledger: 'invalid' });
  });

  it('a saturated loop is a warning', () => {
    const points = [pointOf({ generator: { ...QUIET, loopUtilisationShare: 0.8 } })];
    expect(severities(validityOf(records(100), { points }))).toEqual({
      loopUtilisation: 'warning',
    });
  });

  it('a host that stood still is a note', () => {
    const points = [
      pointOf({ generator: { ...QUIET, hostStallCount: 2, hostStallMaxNs: nsFromMs(80) } }),
    ];
    expect(severities(validityOf(records(100), { points }))).toEqual({ hostStalls: 'note' });
  });
});
