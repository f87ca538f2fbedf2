/** One suite for everything that may wake the load generator, on whatever clock it goes by. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Clock,
  createRealClock,
  NS_PER_MS,
  VirtualClock,
  waitUntil,
} from '../../src/base/index.ts';
import { precisePacer, startThreadPacer } from '../../src/host/index.ts';
import type { Pacer } from '../../src/loadgen/index.ts';

/** A pacer, its clock, and how to let that come to an instant. */
interface PacerUnderTest {
  readonly clock: Clock;
  readonly pacer: Pacer;
  readonly come: (atNs: number) => Promise<void>;
}

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function onVirtualClock(make: (clock: Clock) => Pacer): () => Promise<PacerUnderTest> {
  return async () => {
    const clock = new VirtualClock();
    const come = async (atNs: number): Promise<void> => {
      await clock.advanceTo(atNs);
      await turns();
    };
    return { clock, pacer: make(clock), come };
  };
}

const PACERS: readonly { readonly name: string; readonly make: () => Promise<PacerUnderTest> }[] = [
  { name: 'the clock itself', make: onVirtualClock((clock) => clock) },
  { name: 'the precise pacer', make: onVirtualClock(precisePacer) },
  {
    name: 'the thread pacer',
    async make() {
      const clock = createRealClock();
      const pacer = await startThreadPacer(clock);
      stops.push(() => pacer.stop());
      // Another thread wakes when it is let: a pacer is late as long as it likes, but never early.
      const come = async (atNs: number): Promise<void> => {
        await waitUntil(clock, atNs);
        await new Promise<void>((resolve) => pacer.at(atNs, resolve));
      };
      return { clock, pacer, come };
    },
  },
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
    const { clock, pacer, come } = await make();
    const dueNs = clock.nowNs() + 20 * NS_PER_MS;
    const woken: number[] = [];
    pacer.at(dueNs, () => woken.push(clock.nowNs()));
    await come(dueNs - 10 * NS_PER_MS);
    expect(woken.every((atNs) => atNs >= dueNs)).toBe(true);
    await come(dueNs);
    await come(dueNs + 4 * NS_PER_MS);
    expect(woken).toHaveLength(1);
    expect(woken[0]).toBeGreaterThanOrEqual(dueNs);
  });

  it('wakes in order of the instants, whatever the order of asking', async () => {
    const { clock, pacer, come } = await make();
    const fromNs = clock.nowNs();
    const woken: number[] = [];
    for (const ms of [9, 3, 6, 3, 40]) {
      pacer.at(fromNs + ms * NS_PER_MS, () => woken.push(ms));
    }
    await come(fromNs + 9 * NS_PER_MS);
    expect(woken.slice(0, 4)).toEqual([3, 3, 6, 9]);
    await come(fromNs + 40 * NS_PER_MS);
    expect(woken).toEqual([3, 3, 6, 9, 40]);
  });

  it('takes a new instant from what it woke', async () => {
    const { clock, pacer, come } = await make();
    const fromNs = clock.nowNs();
    const woken: number[] = [];
    const next = (ms: number): void => {
      pacer.at(fromNs + ms * NS_PER_MS, () => {
        woken.push(ms);
        if (ms < 4) next(ms + 1);
      });
    };
    next(1);
    for (let ms = 1; ms <= 5; ms += 1) await come(fromNs + ms * NS_PER_MS);
    expect(woken).toEqual([1, 2, 3, 4]);
  });

  it('wakes for what is already past', async () => {
    const { clock, pacer, come } = await make();
    await come(clock.nowNs() + NS_PER_MS);
    let woken = 0;
    pacer.at(0, () => (woken += 1));
    await come(clock.nowNs());
    expect(woken).toBe(1);
  });

  it('does not wake within the call that asks for it', async () => {
    const { pacer } = await make();
    let woken = 0;
    pacer.at(0, () => (woken += 1));
    expect(woken).toBe(0);
  });

  it.each([
    { when: 'long before', ms: 0 },
    { when: 'just before', ms: 4 },
  ])('can be cancelled $when', async ({ ms }) => {
    const { clock, pacer, come } = await make();
    const dueNs = clock.nowNs() + 50 * NS_PER_MS;
    let woken = 0;
    const cancel = pacer.at(dueNs, () => (woken += 1));
    if (ms > 0) await come(dueNs - 46 * NS_PER_MS);
    const isInTime = clock.nowNs() < dueNs;
    cancel();
    await come(dueNs + NS_PER_MS);
    // A machine that stood still may have come too late to cancel.
    expect(woken).toBe(isInTime ? 0 : 1);
  });
});
