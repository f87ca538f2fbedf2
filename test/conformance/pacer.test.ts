/** One suite for everything that may wake the load generator. */
import { describe, expect, it } from 'vitest';
import { NS_PER_MS, VirtualClock } from '../../src/base/index.ts';
import { precisePacer } from '../../src/host/index.ts';
import type { Pacer } from '../../src/loadgen/index.ts';

const PACERS: readonly { readonly name: string; readonly make: (clock: VirtualClock) => Pacer }[] =
  [
    { name: 'the clock itself', make: (clock) => clock },
    { name: 'the precise pacer', make: precisePacer },
  ];

/** Lets what waits for the next turns of the event loop happen. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

describe.each(PACERS)('$name', ({ make }) => {
  it('never wakes early, and wakes once', async () => {
    const clock = new VirtualClock();
    const woken: number[] = [];
    make(clock).at(5 * NS_PER_MS, () => woken.push(clock.nowNs()));
    await clock.advanceTo(5 * NS_PER_MS - 1);
    await turns();
    expect(woken).toEqual([]);
    await clock.advanceTo(5 * NS_PER_MS);
    await turns();
    await clock.advanceTo(9 * NS_PER_MS);
    await turns();
    expect(woken).toEqual([5 * NS_PER_MS]);
  });

  it('wakes for what is already past', async () => {
    const clock = new VirtualClock();
    await clock.advanceTo(NS_PER_MS);
    let woken = 0;
    make(clock).at(0, () => (woken += 1));
    await clock.advanceTo(NS_PER_MS);
    await turns();
    expect(woken).toBe(1);
  });

  it('does not wake within the call that asks for it', () => {
    const clock = new VirtualClock();
    let woken = 0;
    make(clock).at(0, () => (woken += 1));
    expect(woken).toBe(0);
  });

  it.each([
    { when: 'long before', atNs: 0 },
    { when: 'just before', atNs: 4 * NS_PER_MS },
  ])('can be cancelled $when', async ({ atNs }) => {
    const clock = new VirtualClock();
    let woken = 0;
    const cancel = make(clock).at(5 * NS_PER_MS, () => (woken += 1));
    await clock.advanceTo(atNs);
    await turns();
    cancel();
    await clock.advanceTo(6 * NS_PER_MS);
    await turns();
    expect(woken).toBe(0);
  });
});
