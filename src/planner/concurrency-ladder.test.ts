import { expect, test } from 'vitest';
import { type LadderPlan, ladderEnds, nextRung } from './concurrency-ladder.ts';
import type { SearchWindow } from './search-window.ts';

const PLAN: LadderPlan = {
  targetShare: 0.95,
  startStreams: 1,
  maxStreams: 1_024,
  windowSeconds: 60,
  budgetSeconds: 60 * 60,
};

function climb(plan: LadderPlan, shareAt: (streams: number) => number) {
  const windows: SearchWindow[] = [];
  for (;;) {
    const step = nextRung(plan, windows);
    if (step.kind === 'done') return { windows, reason: step.reason };
    const { phase, level, seconds } = step;
    const good = Math.round(1_000 * shareAt(level));
    const told = { good, offered: 1_000, answerSeconds: 3, ending: 'full' } as const;
    windows.push({ phase, level, measuredSeconds: seconds, ...told });
  }
}

test('doubles, halves, and repeats both sides of the boundary', () => {
  const { windows, reason } = climb(PLAN, (streams) => (streams <= 21 ? 0.97 : 0.9));
  expect(reason).toBe('precise');
  const levels = windows.map(({ level }) => level);
  expect(levels.slice(0, 10)).toEqual([1, 2, 4, 8, 16, 32, 24, 20, 22, 21]);
  expect(levels.filter((level) => level === 21).length).toBe(3);
  expect(levels.filter((level) => level === 22).length).toBe(3);
  const { met, missed } = ladderEnds(PLAN, windows);
  expect(met).toMatchObject({ streams: 21, share: 0.97 });
  // Three equal windows: nothing to widen the bound with.
  expect(met?.lowShare).toBeCloseTo(0.97, 9);
  expect(missed).toMatchObject({ streams: 22, met: false });
});

test('stops at the largest level allowed, and says when even one stream is too many', () => {
  expect(climb({ ...PLAN, maxStreams: 12 }, () => 1)).toMatchObject({ reason: 'metEverywhere' });
  const none = climb({ ...PLAN, startStreams: 8 }, () => 0.5);
  expect(none.reason).toBe('missedEverywhere');
  expect(ladderEnds(PLAN, none.windows).met).toBeNull();
});

test('a level that met after all its neighbours below missed was lucky', () => {
  const window = (level: number, good: number): SearchWindow => ({
    phase: 'bracket',
    level,
    good,
    offered: 100,
    measuredSeconds: 60,
    answerSeconds: 3,
    ending: 'full',
  });
  const ends = ladderEnds(PLAN, [window(8, 99), window(16, 90), window(32, 96)]);
  expect(ends.met?.streams).toBe(8);
  expect(ends.missed?.streams).toBe(16);
});
