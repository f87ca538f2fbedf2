/** “Try it” of "Latency SLOs and goodput": each answer made again with the program changed so. */
import { describe, expect, it } from 'vitest';
import {
  rateGrid,
  SWEEP_DEFAULTS,
  type SweepCapacity,
  sweepCapacity,
  type SweepOptions,
  sweepRow,
} from '../../src/simulator/index.ts';

const GRID_RPS = 0.25;

const capacityOf = (more: Partial<SweepOptions>): SweepCapacity =>
  sweepCapacity(rateGrid(GRID_RPS), 0.95, { ...SWEEP_DEFAULTS, ...more });

const attained = (load: SweepCapacity['capacity']): string =>
  ((load!.counts.good / load!.counts.requests) * 100).toFixed(1);

const tpotP95Ms = (rate: number, more: Partial<SweepOptions>): string =>
  (sweepRow(rate, { ...SWEEP_DEFAULTS, ...more }).tpotP95Seconds! * 1e3).toFixed(1);

describe('1. the token budget moves the TPOT ceiling and the capacity', () => {
  it('256: 8.25/s, where TTFT binds; TPOT never passes 8.3 ms', () => {
    const found = capacityOf({ tokenBudget: 256 });
    expect([found.capacity?.offeredRps, attained(found.capacity)]).toEqual([8.25, '96.5']);
    expect([found.firstBeyond?.offeredRps, attained(found.firstBeyond)]).toEqual([8.5, '94.5']);
    expect(found.binds).toBe('ttft');
    expect((found.fullStepSeconds * 1e3).toFixed(1)).toBe('8.3');
    expect(tpotP95Ms(13, { tokenBudget: 256 })).toBe('8.3');
  });

  it('512: 7.5/s, where TPOT binds', () => {
    const found = capacityOf({});
    expect([found.capacity?.offeredRps, attained(found.capacity)]).toEqual([7.5, '95.6']);
    expect(found.binds).toBe('tpot');
    expect((found.fullStepSeconds * 1e3).toFixed(3)).toBe('15.861');
  });

  it('2,048: 5.25/s, where TPOT binds; its ceiling is 61 ms', () => {
    const found = capacityOf({ tokenBudget: 2_048 });
    expect([found.capacity?.offeredRps, attained(found.capacity)]).toEqual([5.25, '95.1']);
    expect(found.binds).toBe('tpot');
    expect(tpotP95Ms(13, { tokenBudget: 2_048 })).toBe('61.0');
  });
});

it('2. TPOT ≤ 12 ms: 5.75/s, and TPOT binds', () => {
  const found = capacityOf({ objective: { ttftSeconds: 1, tpotSeconds: 0.012 } });
  expect([found.capacity?.offeredRps, attained(found.capacity)]).toEqual([5.75, '96.8']);
  expect([found.firstBeyond?.offeredRps, attained(found.firstBeyond)]).toEqual([6, '93.6']);
  expect(found.binds).toBe('tpot');
});

describe('3. ITL weighted by decoding sequences', () => {
  it.each(['naive', 'skip'] as const)('at 7.5/s: p50 7.08 ms, p99 a full step; %s', (method) => {
    const { itl } = sweepRow(7.5, { ...SWEEP_DEFAULTS, gaps: true, method });
    expect((itl!.p50Seconds * 1e3).toFixed(2)).toBe('7.08');
    expect((itl!.p99Seconds * 1e3).toFixed(3)).toBe('15.861');
  });
});

it.each([
  [7.5, '96.09', '93.64'],
  [8, '91.99', '87.71'],
  [9, '80.38', '70.53'],
  [10, '58.67', '52.25'],
])('4. the bucket of long prompts fails first: at %d/s %s and %s %%', (rate, below, from) => {
  const { split } = sweepRow(rate, { ...SWEEP_DEFAULTS, splitTokens: 4_000 });
  const shares = [split!.below, split!.from].map(({ good, requests }) =>
    ((good / requests) * 100).toFixed(2),
  );
  expect(shares).toEqual([below, from]);
});
