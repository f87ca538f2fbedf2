import { describe, expect, it } from 'vitest';
import { nsFromMs } from '../base/index.ts';
import { StallIndex } from './validity-stalls.ts';

const stall = (fromMs: number, toMs: number) => ({
  fromNs: nsFromMs(fromMs),
  toNs: nsFromMs(toMs),
  cause: 'host' as const,
});

/** In ms. */
const latenessAt = (index: StallIndex, atMs: number): number =>
  index.latenessAt(nsFromMs(atMs)) / nsFromMs(1);

describe('StallIndex', () => {
  const stalls = [stall(100, 120), stall(50, 60), stall(118, 130)];
  const index = new StallIndex({ stalls, unlistedStallMaxNs: 0 });

  it('dates an event back to the start of the stall it was stamped in or just after', () => {
    expect([49, 50, 58, 60, 65].map((at) => latenessAt(index, at))).toEqual([0, 0, 8, 10, 15]);
    expect(latenessAt(index, 65.001)).toBe(0);
  });

  it('takes the earlier of stalls that overlap', () => {
    expect(latenessAt(index, 119)).toBe(19);
    expect(latenessAt(index, 124)).toBe(24);
    expect(latenessAt(index, 126), 'the first was caught up with').toBe(8);
  });

  it('knows which spans it touches', () => {
    const touches = (fromMs: number, toMs: number) =>
      index.touches(nsFromMs(fromMs), nsFromMs(toMs));
    expect(touches(0, 49)).toBe(false);
    expect(touches(0, 50)).toBe(true);
    expect(touches(66, 99)).toBe(false);
    expect(touches(64, 99)).toBe(true);
    expect(touches(136, 500)).toBe(false);
  });

  it('counts stalls that were not listed everywhere, and assumes none without evidence', () => {
    const unlisted = new StallIndex({ stalls, unlistedStallMaxNs: nsFromMs(7) });
    expect([0, 58, 119].map((at) => latenessAt(unlisted, at))).toEqual([7, 8, 19]);
    expect(unlisted.touches(0, 1)).toBe(true);
    expect(new StallIndex(null).touches(0, nsFromMs(1_000))).toBe(false);
  });
});
