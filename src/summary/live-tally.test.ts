import { describe, expect, it } from 'vitest';
import { failedEnd, recordOf } from '../../test/support/record-builder.ts';
import { nsFromMs, nsFromSeconds } from '../base/index.ts';
import type { RequestRecord } from '../record/index.ts';
import { type Objective, parseObjective } from '../slo/index.ts';
import { LiveTally } from './live-tally.ts';

function objectiveOf(text: string): Objective {
  const parsed = parseObjective(text);
  if ('problems' in parsed) throw new Error(parsed.problems[0]?.message);
  return parsed.objective;
}

const OBJECTIVE = objectiveOf('ttft<=100ms, attainment>=95%');

/** A request due at `seconds` whose first token took `ttftMs`. */
function request(seconds: number, ttftMs: number): RequestRecord {
  const plannedNs = nsFromSeconds(seconds);
  return recordOf({ plannedNs, arrivalsNs: [plannedNs + nsFromMs(ttftMs)] });
}

function tallyOf(
  dueSeconds: readonly number[] | null,
  steadyFrom: number | null = null,
): LiveTally {
  return new LiveTally({
    objective: OBJECTIVE,
    startNs: 0,
    stopNs: nsFromSeconds(100),
    steadyFromNs: steadyFrom === null ? null : nsFromSeconds(steadyFrom),
    dueNs: dueSeconds?.map((seconds) => nsFromSeconds(seconds)) ?? null,
  });
}

const everySecond = Array.from({ length: 100 }, (_, second) => second);

describe('a running point', () => {
  it('knows nothing before the first request ended', () => {
    const { attainment, verdicts } = tallyOf(everySecond).look(3);
    expect(attainment).toEqual({ good: 0, offered: 0, share: null, interval: null });
    expect(verdicts).toEqual({ good: 0, bad: 0, excluded: 0, unjudged: 0 });
  });

  it('does not count the fast ones that ended before a slow one due earlier', () => {
    const tally = tallyOf(everySecond);
    for (const second of [0, 1, 2, 4, 5, 6]) tally.add(request(second, 50));
    expect(tally.look(1).attainment).toMatchObject({ good: 3, offered: 3, share: 1 });
    expect(tally.look(1).verdicts.good).toBe(6);
    tally.add(request(3, 900));
    expect(tally.look(0).attainment).toMatchObject({ good: 6, offered: 7 });
  });

  it('counts what has ended of a closed loop, whose due instants are not known', () => {
    const tally = tallyOf(null);
    for (const second of [0, 1, 5]) tally.add(request(second, 50));
    tally.add(request(3, 900));
    expect(tally.look(1).attainment).toMatchObject({ good: 3, offered: 4, share: 0.75 });
  });

  it('leaves the warm-up out of attainment, not out of the counts', () => {
    const tally = tallyOf(everySecond, 10);
    for (let second = 0; second < 20; second += 1)
      tally.add(request(second, second < 10 ? 900 : 50));
    const { attainment, verdicts } = tally.look(0);
    expect(attainment).toMatchObject({ good: 10, offered: 10 });
    expect(verdicts).toMatchObject({ good: 10, bad: 10 });
  });

  it('counts drops as misses and failures by their outcome', () => {
    const tally = tallyOf(null);
    tally.add(recordOf({ plannedNs: 0, dropped: 'ceiling' }));
    tally.add(recordOf({ plannedNs: 1, end: failedEnd('httpStatus'), arrivalsNs: [] }));
    tally.add(recordOf({ notReached: true }));
    const { outcomes, attainment } = tally.look(0);
    expect(outcomes).toMatchObject({ dropped: 1, failed: 1, completed: 0 });
    expect(attainment).toMatchObject({ good: 0, offered: 2 });
  });

  it('claims an interval once there is enough, around the share', () => {
    const due = Array.from({ length: 2_000 }, (_, index) => index / 20);
    const tally = tallyOf(due);
    expect(tally.look(2).attainment.interval).toBeNull();
    for (const [index, second] of due.entries()) {
      tally.add(request(second, index % 10 === 0 ? 900 : 50));
      if (index % 5 === 0) tally.look(1 + (index % 4));
    }
    const { share, interval } = tally.look(2).attainment;
    expect(share).toBeCloseTo(0.9, 9);
    expect(interval?.low).toBeLessThan(0.9);
    expect(interval?.low).toBeGreaterThan(0.8);
    expect(interval?.high).toBeGreaterThan(0.9);
    expect(interval?.high).toBeLessThan(0.95);
  });

  it('claims none while the backlog grows: the share depends on how long it has run', () => {
    const due = Array.from({ length: 2_000 }, (_, index) => index / 20);
    const tally = tallyOf(due);
    for (const [index, second] of due.entries()) {
      tally.add(request(second, 50));
      tally.look(index);
    }
    expect(tally.look(2_000).attainment).toMatchObject({ share: 1, interval: null });
  });
});
