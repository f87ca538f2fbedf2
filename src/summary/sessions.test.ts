import { describe, expect, it } from 'vitest';
import { failedEnd, recordOf } from '../../test/support/record-builder.ts';
import { objectiveOf, pointOf, pointSummaryOf } from '../../test/support/summary-builder.ts';
import { nsFromMs, nsFromSeconds, randomStream } from '../base/index.ts';
import type { RequestRecord } from '../record/index.ts';
import type { SessionsSummary } from './session-summary.ts';

const OBJECTIVE = objectiveOf('ttft<=500ms, attainment>=50%');

/** How a turn went: `good`, `slow`, failed, never due because the run stopped or the session was over. */
type Fate = 'good' | 'slow' | 'failed' | 'refused' | 'cancelled' | 'stopped' | 'over';

function turn(
  fate: Fate,
  scheduleIndex: number,
  session: string,
  plannedNs: number,
): RequestRecord {
  const labels = { session };
  const placed = { scheduleIndex, plannedNs, labels };
  switch (fate) {
    case 'good':
    case 'slow': {
      const firstNs = plannedNs + nsFromMs(fate === 'good' ? 100 : 900);
      return recordOf({ ...placed, arrivalsNs: [firstNs, firstNs + nsFromMs(20)] });
    }
    case 'failed':
      return recordOf({ ...placed, arrivalsNs: [], usage: null, end: failedEnd('socket') });
    case 'refused': {
      const end = failedEnd('httpStatus', { httpStatus: 429, evidence: ['quota'] });
      return recordOf({ ...placed, arrivalsNs: [], usage: null, httpStatus: 429, end });
    }
    case 'cancelled': {
      const end = { kind: 'cancelled', atNs: plannedNs + nsFromMs(10) } as const;
      return recordOf({ ...placed, arrivalsNs: [], usage: null, doneNs: null, end });
    }
    default: {
      const reason = fate === 'over' ? 'sessionOver' : 'stopped';
      const record = recordOf({ ...placed, notReached: true });
      return { ...record, dispatch: { kind: 'notReached', plannedNs: null, reason } };
    }
  }
}

/** Sessions one second apart, turns ten. */
function summaryOfFates(
  sessions: readonly (readonly Fate[])[],
  changes: Parameters<typeof pointOf>[0] = {},
): SessionsSummary {
  let index = 0;
  const records = sessions.flatMap((fates, session) =>
    fates.map((fate, at) => {
      const record = turn(fate, index, `session-${session}`, nsFromSeconds(session + 10 * at));
      index += 1;
      return record;
    }),
  );
  const stopNs = nsFromSeconds(sessions.length + 60);
  const point = pointOf({ kind: 'sessions', closedLoop: false, stopNs, ...changes });
  const summary = pointSummaryOf(records, { points: [point], objective: OBJECTIVE });
  if (summary.sessions === null) throw new Error('no sessions');
  return summary.sessions;
}

describe('a session', () => {
  it('is good when all its turns are, and bad when one is not', () => {
    const summary = summaryOfFates([
      ['good', 'good', 'good'],
      ['good', 'slow', 'good'],
      ['good'],
      ['slow', 'slow'],
    ]);
    expect(summary.verdicts).toEqual({ good: 2, bad: 2, excluded: 0, unjudged: 0 });
    expect(summary.attainment).toMatchObject({ good: 2, offered: 4, share: 0.5 });
    expect(summary).toMatchObject({ begun: 4, cut: 0, turnsMean: 2.25, turnsMost: 3 });
  });

  it('is bad when a turn failed, and what never came is counted', () => {
    const summary = summaryOfFates([
      ['good', 'failed', 'over', 'over'],
      ['good', 'good'],
    ]);
    expect(summary.verdicts).toEqual({ good: 1, bad: 1, excluded: 0, unjudged: 0 });
    expect(summary).toMatchObject({ endedEarly: 1, turnsNeverDue: 2, cut: 0 });
    // Only the whole ones have lasted: 10 s to the second turn, and its 120 ms + 1 ms.
    expect(summary.durationNs).toMatchObject({ n: 1, max: nsFromMs(10_121) });
  });

  it('is not judged when the run cut it, whatever it was like so far', () => {
    const summary = summaryOfFates([
      ['good', 'good'],
      ['good', 'stopped'],
      ['slow', 'stopped', 'stopped'],
      ['good', 'cancelled', 'over'],
    ]);
    expect(summary).toMatchObject({ begun: 4, cut: 3, cutAfterMiss: 1 });
    expect(summary.attainment).toMatchObject({ good: 1, offered: 1 });
    // With the cut ones: 1 of 4 if none of them had ended well, 3 of 4 if all that could had.
    expect(summary.cutBounds).toEqual({ low: 0.25, high: 0.75 });
  });

  it('is excluded when the service refused a turn', () => {
    const summary = summaryOfFates([
      ['good', 'refused', 'over'],
      ['good', 'good'],
    ]);
    expect(summary.verdicts).toEqual({ good: 1, bad: 0, excluded: 1, unjudged: 0 });
    expect(summary.attainment).toMatchObject({ good: 1, offered: 1 });
  });

  it('belongs to the window in which it began', () => {
    const sessions = Array.from({ length: 20 }, (): Fate[] => ['good', 'good']);
    const summary = summaryOfFates(sessions, { steadyFromNs: nsFromSeconds(12) });
    expect(summary.begun).toBe(8);
    // Turns are those of the window: 8 first ones, and 18 second ones from 10 + 2 s on.
    const due = summary.turns.map(({ name, ledger }) => [name, ledger.scheduled]);
    expect(due.slice(0, 2)).toEqual([
      ['first', 8],
      ['later', 18],
    ]);
  });
});

describe('single requests', () => {
  it('are no sessions, and neither are users', () => {
    const single = [recordOf({ scheduleIndex: 0 })];
    expect(pointSummaryOf(single, { objective: OBJECTIVE }).sessions).toBeNull();
    const users = [recordOf({ scheduleIndex: 0, labels: { session: 'user-0' } })];
    const point = pointOf({ kind: 'users', closedLoop: true });
    expect(pointSummaryOf(users, { points: [point], objective: OBJECTIVE }).sessions).toBeNull();
  });
});

describe('turns', () => {
  it('are told apart: first, later, and one by one up to the third, then by doublings', () => {
    const names = summaryOfFates([Array.from({ length: 9 }, (): Fate => 'good')]).turns.map(
      ({ name, ledger }) => `${name}: ${ledger.scheduled}`,
    );
    expect(names).toEqual([
      'first: 1',
      'later: 8',
      'turn 1: 1',
      'turn 2: 1',
      'turn 3: 1',
      'turns 4–7: 4',
      'turns 8–15: 2',
    ]);
  });

  it('have the cached share of their own prompts', () => {
    const usage = (cachedPromptTokens: number) => ({ promptTokens: 200, cachedPromptTokens });
    const records = [0, 150].map((cached, at) =>
      recordOf({
        scheduleIndex: at,
        plannedNs: nsFromSeconds(at),
        labels: { session: 's' },
        usage: usage(cached),
      }),
    );
    const point = pointOf({ kind: 'sessions', stopNs: nsFromSeconds(60) });
    const { sessions } = pointSummaryOf(records, { points: [point], objective: OBJECTIVE });
    expect(sessions?.turns.slice(0, 2).map((each) => each.cachedTokenShare)).toEqual([0, 0.75]);
  });
});

describe('the share of good sessions', () => {
  /** `turns` of each session, each good with `share`, independently. */
  function planted(sessions: number, turns: number, share: number, seed: number): SessionsSummary {
    const random = randomStream(seed, 'fates');
    return summaryOfFates(
      Array.from({ length: sessions }, () =>
        Array.from({ length: turns }, (): Fate => (random() < share ? 'good' : 'slow')),
      ),
    );
  }

  it('is that of a turn to the power of the turns, where turns are independent', () => {
    const { attainment, shareIfIndependent, turns } = planted(1_000, 4, 0.9, 1);
    const [first, later] = turns;
    // 1,000 sessions of 0.9⁴ = 0.6561: four standard errors are 0.06.
    expect(Math.abs((attainment.share ?? 0) - 0.9 ** 4)).toBeLessThan(0.06);
    expect(Math.abs((first?.attainment.share ?? 0) - 0.9)).toBeLessThan(0.038);
    expect(Math.abs((later?.attainment.share ?? 0) - 0.9)).toBeLessThan(0.022);
    expect(Math.abs((shareIfIndependent ?? 0) - 0.9 ** 4)).toBeLessThan(0.04);
  });

  it('is above that where the misses come together', () => {
    // Nine sessions of ten have none, the tenth misses all: 90 % of turns, and 90 % of sessions.
    const { attainment, shareIfIndependent } = summaryOfFates(
      Array.from({ length: 200 }, (_, at) =>
        Array.from({ length: 4 }, (): Fate => (at % 10 === 0 ? 'slow' : 'good')),
      ),
    );
    expect(attainment.share).toBeCloseTo(0.9, 12);
    expect(shareIfIndependent).toBeCloseTo(0.9 ** 4, 12);
  });
});
