import { describe, expect, it } from 'vitest';
import { windowCountsFault, type WindowCounts } from './window-counts.ts';

const COUNTS: WindowCounts = {
  windowStart: '2026-11-01T00:00:00Z',
  windowEnd: '2026-11-01T01:00:00Z',
  offered: 100,
  good: 90,
  bad: 8,
  excluded: 3,
  unjudged: 2,
  failed: 5,
  incorrect: null,
};

describe('counts of a window', () => {
  it('add up to what was offered', () => {
    expect(windowCountsFault(COUNTS)).toBeNull();
    expect(windowCountsFault({ ...COUNTS, good: 91 })).toContain('is not offered 100');
    expect(windowCountsFault({ ...COUNTS, bad: 7.5 })).toBe('bad 7.5 is not a count');
  });

  it('have no more causes than misses', () => {
    expect(windowCountsFault({ ...COUNTS, incorrect: 3 })).toBeNull();
    expect(windowCountsFault({ ...COUNTS, incorrect: 4 })).toContain('more than the 8 bad');
  });
});
