/**
 * The clock port. Everything that waits or reads time takes a {@link Clock}, so that the same
 * code runs in real time and, in tests and simulations, in virtual time.
 */
import { assert } from './errors.ts';
import { NS_PER_MS } from './units.ts';

/** A monotonic clock. Instants are integer nanoseconds since the clock's own origin. */
export interface Clock {
  nowNs(): number;
  /** Calls `action` once at or after `atNs`, never before. Returns a function that cancels it. */
  at(atNs: number, action: () => void): () => void;
}

/** Resolves at or after `atNs`. Not cancellable; use {@link Clock.at} where that matters. */
export function waitUntil(clock: Clock, atNs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.at(atNs, resolve);
  });
}

/** The machine's monotonic clock, from an origin of its own. */
export interface RealClock extends Clock {
  /**
   * The origin on the scale that all processes of this machine share, in ms: another process that
   * starts a clock there ({@link realClockFrom}) reads the same instants.
   */
  readonly sharedOriginMs: number;
  /** Wall-clock time of the origin. */
  readonly wallStartIso: string;
}

/**
 * The machine's monotonic clock, origin at the call. The wall clock is read once: every other
 * instant of a run is origin + monotonic offset, so a stepped wall clock cannot bend a latency.
 */
export function createRealClock(): RealClock {
  const originMs = performance.now();
  const wallStartIso = new Date().toISOString();
  return { wallStartIso, sharedOriginMs: originMs + sharedOffsetMs(), ...clockFrom(originMs) };
}

/** The clock that another process of this machine created, read in this one: within 1 µs. */
export function realClockFrom(sharedOriginMs: number): Clock {
  return clockFrom(sharedOriginMs - sharedOffsetMs());
}

/**
 * What to add to this process's `performance.now()` to have the machine's own count, which has one
 * zero for all. The closest of some pairs of readings tells it.
 */
function sharedOffsetMs(): number {
  let best = { widthMs: Number.POSITIVE_INFINITY, offsetMs: 0 };
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const beforeMs = performance.now();
    const sharedMs = Number(process.hrtime.bigint()) / NS_PER_MS;
    const widthMs = performance.now() - beforeMs;
    if (widthMs < best.widthMs) best = { widthMs, offsetMs: sharedMs - beforeMs - widthMs / 2 };
  }
  return best.offsetMs;
}

function clockFrom(originMs: number): Clock {
  const nowNs = (): number => Math.round((performance.now() - originMs) * NS_PER_MS);
  return {
    nowNs,
    at(atNs, action) {
      let timer: NodeJS.Timeout | undefined;
      const arm = (): void => {
        const remainingMs = (atNs - nowNs()) / NS_PER_MS;
        // Timers may fire up to 1 ms early (libuv counts whole milliseconds), so check again.
        if (remainingMs <= 0 && timer !== undefined) action();
        else timer = setTimeout(arm, Math.min(Math.max(Math.ceil(remainingMs), 0), 2 ** 31 - 1));
      };
      timer = setTimeout(arm, Math.min(Math.max((atNs - nowNs()) / NS_PER_MS, 0), 2 ** 31 - 1));
      return () => clearTimeout(timer);
    },
  };
}

interface Alarm {
  readonly atNs: number;
  readonly order: number;
  /** `null` once cancelled, so that nothing is kept alive by an alarm that will not ring. */
  action: (() => void) | null;
}

/** Fewer cancelled alarms than this are left for their turn to come. */
const MOST_CANCELLED = 1_024;

/** Lets promises settle that an alarm may have resolved; `null` when it resolved none. */
export type Pause = () => Promise<void> | null;

/**
 * A clock that moves only when told. Alarms fire in order of time, then of arming, and the clock
 * stands exactly at the alarm's instant while its action runs.
 */
export class VirtualClock implements Clock {
  #nowNs = 0;
  #armed = 0;
  /** A binary heap. Cancelled alarms stay until their turn comes or they are the most of it. */
  #alarms: Alarm[] = [];
  #cancelled = 0;

  nowNs(): number {
    return this.#nowNs;
  }

  at(atNs: number, action: () => void): () => void {
    const alarm: Alarm = {
      atNs: Math.max(atNs, this.#nowNs),
      order: this.#armed,
      action,
    };
    this.#armed += 1;
    this.#push(alarm);
    return () => {
      if (alarm.action === null) return;
      alarm.action = null;
      this.#cancelled += 1;
      if (this.#cancelled > MOST_CANCELLED && 2 * this.#cancelled > this.#alarms.length) {
        this.#dropCancelled();
      }
    };
  }

  /** Moves to `toNs`, firing every alarm due on the way and letting promises settle in between. */
  async advanceTo(toNs: number): Promise<void> {
    assert(toNs >= this.#nowNs, `the clock cannot go back from ${this.#nowNs} to ${toNs}`);
    await this.#fireUntil(toNs, settlePromises);
    this.#nowNs = toNs;
  }

  /**
   * Runs until no alarm is armed. Whoever knows which alarms resolve promises says so by `pause`,
   * asked after each: turns of the event loop cost more than most alarms do.
   */
  runAll(pause: Pause = settlePromises): Promise<void> {
    return this.#fireUntil(Number.POSITIVE_INFINITY, pause);
  }

  async #fireUntil(limitNs: number, pause: Pause): Promise<void> {
    await settlePromises();
    for (let next = this.#takeDue(limitNs); next !== null; next = this.#takeDue(limitNs)) {
      const { action } = next;
      // It has rung: cancelling it now changes nothing.
      next.action = null;
      this.#nowNs = next.atNs;
      action?.();
      const paused = pause();
      if (paused !== null) await paused;
    }
  }

  #takeDue(limitNs: number): Alarm | null {
    for (let first = this.#alarms[0]; first !== undefined; first = this.#alarms[0]) {
      if (first.atNs > limitNs && first.action !== null) return null;
      this.#dropFirst();
      if (first.action !== null) return first;
      this.#cancelled -= 1;
    }
    return null;
  }

  #dropCancelled(): void {
    // In order, which a heap may be.
    this.#alarms = this.#alarms
      .filter((alarm) => alarm.action !== null)
      .sort((a, b) => a.atNs - b.atNs || a.order - b.order);
    this.#cancelled = 0;
  }

  #push(alarm: Alarm): void {
    const heap = this.#alarms;
    let at = heap.length;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt] as Alarm;
      if (!isBefore(alarm, parent)) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = alarm;
  }

  #dropFirst(): void {
    const heap = this.#alarms;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (let childAt = 1; childAt < heap.length; childAt = 2 * at + 1) {
      const right = heap[childAt + 1];
      if (right !== undefined && isBefore(right, heap[childAt] as Alarm)) childAt += 1;
      const child = heap[childAt] as Alarm;
      if (!isBefore(child, last)) break;
      heap[at] = child;
      at = childAt;
    }
    heap[at] = last;
  }
}

function isBefore(a: Alarm, b: Alarm): boolean {
  return a.atNs < b.atNs || (a.atNs === b.atNs && a.order < b.order);
}

/** Lets chains of already resolved promises run before virtual time moves on. */
export function settlePromises(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
