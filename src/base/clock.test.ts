import { describe, expect, it, vi } from 'vitest';
import { createRealClock, VirtualClock, waitUntil } from './clock.ts';

describe('VirtualClock', () => {
  it('fires alarms in order of time, then of arming, standing at each instant', async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    clock.at(20, () => seen.push(`late ${clock.nowNs()}`));
    clock.at(10, () => seen.push(`first ${clock.nowNs()}`));
    clock.at(10, () => seen.push(`second ${clock.nowNs()}`));
    await clock.advanceTo(15);
    expect(seen).toEqual(['first 10', 'second 10']);
    expect(clock.nowNs()).toBe(15);
    await clock.advanceTo(20);
    expect(seen.at(-1)).toBe('late 20');
  });

  it('fires an alarm armed by another on the same way', async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    clock.at(5, () => clock.at(7, () => seen.push(clock.nowNs())));
    await clock.advanceTo(10);
    expect(seen).toEqual([7]);
  });

  it('does not fire a cancelled alarm, nor fire twice', async () => {
    const clock = new VirtualClock();
    let fired = 0;
    const cancel = clock.at(5, () => {
      fired += 1;
    });
    clock.at(6, () => {
      fired += 10;
    });
    cancel();
    await clock.runAll();
    await clock.runAll();
    expect(fired).toBe(10);
  });

  it('fires the same, in the same order, when most alarms are cancelled', async () => {
    const clock = new VirtualClock();
    const fired: number[] = [];
    const cancels: (() => void)[] = [];
    for (let at = 0; at < 5_000; at += 1) {
      const atNs = (at * 7_919) % 5_000;
      const cancel = clock.at(atNs, () => fired.push(atNs));
      if (atNs % 10 > 0) cancels.push(cancel);
    }
    for (const cancel of cancels) cancel();
    for (const cancel of cancels) cancel();
    await clock.runAll();
    expect(fired).toEqual(Array.from({ length: 500 }, (_, at) => at * 10));
  });

  it('goes on at once where nothing is said to settle', async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    clock.at(1, () => void Promise.resolve().then(() => seen.push('settled')));
    clock.at(2, () => seen.push('next alarm'));
    await clock.runAll(() => null);
    expect(seen).toEqual(['next alarm', 'settled']);
  });

  it('lets promises settle before time moves on', async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    void (async () => {
      await waitUntil(clock, 5);
      await Promise.resolve();
      seen.push(clock.nowNs());
    })();
    clock.at(6, () => seen.push(clock.nowNs()));
    await clock.runAll();
    expect(seen).toEqual([5, 6]);
  });

  it('refuses to go back', async () => {
    const clock = new VirtualClock();
    await clock.advanceTo(5);
    await expect(clock.advanceTo(4)).rejects.toThrow(/cannot go back/);
  });
});

describe('createRealClock', () => {
  it('does not follow a wall clock that is stepped', () => {
    const clock = createRealClock();
    const beforeNs = clock.nowNs();
    const minuteNs = 60_000_000_000;
    try {
      for (const wallMs of [0, Date.UTC(2100, 0, 1)]) {
        vi.setSystemTime(wallMs);
        expect(clock.nowNs()).toBeGreaterThanOrEqual(beforeNs);
        expect(clock.nowNs()).toBeLessThan(beforeNs + minuteNs);
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it('never fires early', async () => {
    const clock = createRealClock();
    for (const delayNs of [0, 300_000, 1_200_000, 2_700_000]) {
      const dueNs = clock.nowNs() + delayNs;
      await waitUntil(clock, dueNs);
      expect(clock.nowNs()).toBeGreaterThanOrEqual(dueNs);
    }
  });
});
