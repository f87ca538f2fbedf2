import { describe, expect, it } from 'vitest';
import { simulatedBesideLines, type BesideRow } from './simulated-beside.ts';

const STEADY: BesideRow = {
  offeredRps: 7,
  live: { requests: 283, attainedShare: 0.947 },
  simulated: { requests: 49_948, attainedShare: 0.951, goodRps: 6.65, growing: false },
};

describe('live points beside the simulator', () => {
  it('keeps measured and simulated figures in columns of their own', () => {
    const [heading, , header, row] = simulatedBesideLines('the same replica', [STEADY]);
    expect(heading).toBe('Beside   simulated: the same replica');
    expect(header?.split(/ {2,}/)).toEqual([
      'offered',
      'live requests',
      'live attained',
      'simulated requests',
      'simulated attained',
      'simulated good/s',
    ]);
    expect(row?.split(/ {2,}/)).toEqual(['7.00/s', '283', '~94.7 %', '49,948', '~95.1 %', '6.65']);
  });

  it('says where the figure depends on how long one looks, and only there', () => {
    expect(simulatedBesideLines('', [STEADY]).join('\n')).not.toContain('^');
    const growing = { ...STEADY, simulated: { ...STEADY.simulated, growing: true } };
    const lines = simulatedBesideLines('', [growing]);
    expect(lines.at(-3)).toMatch(/^7\.00\/s \^/);
    expect(lines.at(-1)).toMatch(/^\^ the backlog grows/);
  });

  it('shows a point that was offered nothing as not observed', () => {
    const empty = { ...STEADY, live: { requests: 0, attainedShare: null } };
    expect(simulatedBesideLines('', [empty]).at(-2)).toContain('–');
  });
});
