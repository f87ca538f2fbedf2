import { describe, expect, test } from 'vitest';
import { estimateCapacity } from './capacity-estimate.ts';
import { nextStep, searchCentreRps, type SearchPlan } from './capacity-search.ts';
import type { SearchStep, SearchWindow, WindowEnding } from './search-window.ts';

const PLAN: SearchPlan = {
  targetShare: 0.95,
  startRps: 1,
  maxRps: null,
  bracketSeconds: 60,
  windowSeconds: 240,
  budgetSeconds: 16 * 240,
  wantedHalfWidthShare: null,
};

/** A service of known capacity: attainment falls by the logit, without noise. */
function attainment(rps: number, capacityRps: number): number {
  return 1 / (1 + Math.exp(-(Math.log(19) - 7 * Math.log(rps / capacityRps))));
}

function played(
  step: Extract<SearchStep, { kind: 'window' }>,
  share: number,
  ending: WindowEnding = 'full',
): SearchWindow {
  const { phase, level, seconds } = step;
  const offered = Math.round(level * seconds);
  const good = Math.round(offered * share);
  return { phase, level, good, offered, measuredSeconds: seconds, answerSeconds: 3, ending };
}

/** Plays the search to its end. */
function search(plan: SearchPlan, shareAt: (rps: number, at: number) => number) {
  const windows: SearchWindow[] = [];
  for (;;) {
    const step = nextStep(plan, windows);
    if (step.kind === 'done') return { windows, reason: step.reason };
    windows.push(played(step, shareAt(step.level, windows.length)));
  }
}

test('doubles, halves the bracket, then stays within 6 % of the estimate', () => {
  const { windows, reason } = search(PLAN, (rps) => attainment(rps, 7));
  expect(reason).toBe('budgetSpent');
  const bracket = windows.filter(({ phase }) => phase === 'bracket');
  expect(bracket.map(({ level }) => level)).toEqual([1, 2, 4, 8, 5.657, 6.727]);
  const local = windows.filter(({ phase }) => phase === 'local');
  expect(local.length).toBe(14);
  for (const { level } of local.slice(3)) expect(Math.abs(level / 7 - 1)).toBeLessThan(0.07);
  const { rps, interval, plannableRps } = estimateCapacity(PLAN, windows);
  expect(rps).toBeCloseTo(7, 1);
  expect(interval?.lowRps).toBeLessThan(7);
  expect(plannableRps).toBeGreaterThan(interval?.lowRps ?? Infinity);
});

test('finds a capacity below its start, and far above it', () => {
  for (const capacityRps of [0.5, 700]) {
    const { windows } = search(PLAN, (rps) => attainment(rps, capacityRps));
    const { rps } = estimateCapacity(PLAN, windows);
    expect((rps ?? 0) / capacityRps).toBeCloseTo(1, 1);
  }
});

test('the next step depends on the windows alone, so any beginning of them can be gone on from', () => {
  const { windows } = search(PLAN, (rps) => attainment(rps, 7));
  windows.forEach((window, at) => {
    const step = nextStep(PLAN, windows.slice(0, at));
    expect(step).toMatchObject({ kind: 'window', level: window.level, phase: window.phase });
  });
});

describe('ends', () => {
  test('when the highest load allowed still meets the target', () => {
    const plan = { ...PLAN, maxRps: 6 };
    const { windows, reason } = search(plan, (rps) => attainment(rps, 50));
    expect(reason).toBe('metEverywhere');
    expect(Math.max(...windows.map(({ level }) => level))).toBe(6);
    expect(estimateCapacity(plan, windows)).toMatchObject({
      rps: null,
      noInterval: 'notBracketed',
    });
  });

  test('when even the lowest load misses it', () => {
    expect(search(PLAN, () => 0.9).reason).toBe('missedEverywhere');
  });

  test('when the target is down, but not when it is merely overloaded', () => {
    const step = { kind: 'window', phase: 'bracket', seconds: 60, stopsEarly: true } as const;
    const broken = [8, 4, 2].map((level) => played({ ...step, level }, 0, 'broken'));
    expect(nextStep(PLAN, broken)).toEqual({ kind: 'done', reason: 'targetDown' });
    const overloaded = broken.map((window) => ({ ...window, good: 5 }));
    expect(nextStep(PLAN, overloaded)).toMatchObject({ kind: 'window', level: 1 });
  });

  test('when nothing can be trusted; one untrusted window is repeated', () => {
    const [first] = search(PLAN, (rps) => attainment(rps, 7)).windows as [SearchWindow];
    const invalid: SearchWindow = { ...first, ending: 'invalid' };
    expect(nextStep(PLAN, [invalid])).toMatchObject({ kind: 'window', level: 1 });
    expect(nextStep(PLAN, [invalid, invalid, invalid])).toEqual({
      kind: 'done',
      reason: 'unusable',
    });
  });

  test('when it is as precise as was asked', () => {
    const plan = { ...PLAN, wantedHalfWidthShare: 0.2 };
    const { reason, windows } = search(plan, (rps) => attainment(rps, 7));
    expect(reason).toBe('precise');
    expect(windows.filter(({ phase }) => phase === 'local').length).toBe(6);
  });
});

test('windows ended early or broken never enter the fit', () => {
  const { windows } = search(PLAN, (rps) => attainment(rps, 7));
  const before = estimateCapacity(PLAN, windows);
  const lucky = { ...(windows.at(-1) as SearchWindow), good: 0 };
  for (const ending of ['clearlyMissed', 'broken', 'interrupted', 'invalid'] as const) {
    const after = estimateCapacity(PLAN, [
      ...windows,
      { ...lucky, phase: 'bracket', level: 7.6, ending },
    ]);
    expect(after.windowsFitted).toBe(before.windowsFitted);
  }
});

test('one lucky window moves the search by a tenth at most', () => {
  const { windows } = search(PLAN, (rps) => attainment(rps, 7));
  const at = windows.findIndex(({ phase }) => phase === 'local');
  const head = windows.slice(0, at);
  const lucky = { ...(windows[at] as SearchWindow), good: windows[at]?.offered ?? 0 };
  const moved = searchCentreRps(PLAN, [...head, lucky]) / searchCentreRps(PLAN, head);
  expect(moved).toBeLessThanOrEqual(1.1 + 1e-9);
});

test('no interval from few windows, or from windows of few answers', () => {
  const { windows } = search(PLAN, (rps) => attainment(rps, 7));
  const few = estimateCapacity(PLAN, windows.slice(0, 8));
  expect(few).toMatchObject({ interval: null, plannableRps: null, noInterval: 'tooFewWindows' });
  expect(few.rps).not.toBeNull();
  const long = windows.map((window) => ({ ...window, answerSeconds: 60 }));
  expect(estimateCapacity(PLAN, long)).toMatchObject({ interval: null, noInterval: 'tooShort' });
});

test('attainment that rises with load is told', () => {
  const { windows } = search(PLAN, (rps) => attainment(rps, 7));
  expect(estimateCapacity(PLAN, windows).rise).toBeNull();
  const cold = windows.map((window) =>
    window.level <= 2 ? { ...window, good: Math.round(0.3 * window.offered) } : window,
  );
  expect(estimateCapacity(PLAN, cold).rise).toMatchObject({ fromLoad: 4 });
});
