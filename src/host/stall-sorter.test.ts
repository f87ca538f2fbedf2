import { describe, expect, it } from 'vitest';
import { LISTED_MAX, StallSorter } from './stall-sorter.ts';

const NOTHING = { loopMaxMs: 0, hostCount: 0, hostMaxMs: 0, listed: [], unlistedMaxMs: 0 };

describe('StallSorter', () => {
  it('sees nothing in a loop that ticks on time', () => {
    const sorter = new StallSorter();
    for (let at = 10; at <= 500; at += 10) sorter.loopTick(at, at + 1, 11);
    expect(sorter.finish()).toEqual(NOTHING);
  });

  it('blames the loop for a pause in which it was busy and the sleeping thread ran', () => {
    const sorter = new StallSorter();
    sorter.loopTick(10, 60, 60);
    sorter.loopTick(70, 500, 430);
    sorter.loopTick(510, 511, 1);
    expect(sorter.finish()).toMatchObject({ loopMaxMs: 430, hostCount: 0, hostMaxMs: 0 });
  });

  it('blames the machine when both stood still, though the meter tells later', () => {
    const sorter = new StallSorter();
    sorter.loopTick(10, 58, 48);
    sorter.loopTick(68, 69, 1);
    sorter.addHostPauses([{ fromMs: 9, toMs: 57 }]);
    sorter.loopTick(79, 400, 321);
    sorter.addHostPauses([{ fromMs: 80, toMs: 400 }]);
    expect(sorter.finish()).toMatchObject({ loopMaxMs: 0, hostCount: 2, hostMaxMs: 320 });
  });

  it('blames the machine for a loop that was not busy but got no processor', () => {
    const sorter = new StallSorter();
    sorter.loopTick(10, 90, 2);
    expect(sorter.finish()).toMatchObject({ loopMaxMs: 0, hostCount: 1, hostMaxMs: 78 });
  });

  it('splits a pause that the machine explains in part', () => {
    const sorter = new StallSorter();
    sorter.addHostPauses([{ fromMs: 20, toMs: 30 }]);
    sorter.loopTick(10, 110, 100);
    expect(sorter.finish()).toMatchObject({ loopMaxMs: 90, hostCount: 1, hostMaxMs: 10 });
  });

  it('does not count a pause of the sleeping thread alone', () => {
    const sorter = new StallSorter();
    sorter.addHostPauses([{ fromMs: 0, toMs: 300 }]);
    sorter.loopTick(10, 11, 0);
    sorter.loopTick(21, 22, 0);
    expect(sorter.finish()).toEqual(NOTHING);
  });

  it('forgets what is decided, so that an old pause of the machine explains nothing new', () => {
    const sorter = new StallSorter();
    sorter.addHostPauses([{ fromMs: 10, toMs: 60 }]);
    sorter.loopTick(10, 60, 50);
    sorter.loopTick(1_000, 1_050, 60);
    expect(sorter.finish()).toMatchObject({ loopMaxMs: 50, hostCount: 1, hostMaxMs: 50 });
  });

  it('lists every pause with the one that caused most of it', () => {
    const sorter = new StallSorter();
    sorter.addHostPauses([{ fromMs: 20, toMs: 30 }]);
    sorter.loopTick(10, 110, 100);
    sorter.loopTick(120, 180, 1);
    expect(sorter.finish().listed).toEqual([
      { fromMs: 10, toMs: 110, cause: 'loop' },
      { fromMs: 120, toMs: 180, cause: 'host' },
    ]);
  });

  it('lists the longest of too many, and tells how long the others were at most', () => {
    const sorter = new StallSorter();
    for (let each = 0; each < 3 * LISTED_MAX; each += 1) {
      sorter.loopTick(100 * each, 100 * each + (each % 3 === 0 ? 30 : 10 + (each % 7)), 0);
    }
    const { listed, unlistedMaxMs } = sorter.finish();
    expect(listed).toHaveLength(LISTED_MAX);
    expect(listed.every((stall) => stall.toMs - stall.fromMs === 30)).toBe(true);
    expect(listed).toEqual(listed.toSorted((a, b) => a.toMs - b.toMs));
    expect(unlistedMaxMs).toBe(16);
  });
});
