/** A pacer that sleeps in a thread of its own, which wakes the event loop when the instant has come. */
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { type Clock, NS_PER_MS, NS_PER_US } from '../base/index.ts';

export interface ThreadPacer extends Pick<Clock, 'at'> {
  /** Ends the thread. Alarms that have not rung never will. */
  stop(): Promise<void>;
}

/** Places in the shared control words: how often the instant was set, and whether to end. */
const TURN = 0;
const STOPPED = 1;
/** The system wakes a thread that much late; the rest of the way is walked turn by turn. */
const LEAD_NS = 60 * NS_PER_US;

/** Plain text for the reason that `stall-meter.ts` gives. Posts once for each instant that is set. */
const SLEEPER = `
const { parentPort, workerData } = require('node:worker_threads');
const control = new Int32Array(workerData.control);
const instant = new Float64Array(workerData.instant);
parentPort.postMessage(-1);
const nowMs = () => Number(process.hrtime.bigint()) / ${NS_PER_MS};
while (Atomics.load(control, ${STOPPED}) === 0) {
  const turn = Atomics.load(control, ${TURN});
  const leftMs = instant[0] - nowMs();
  if (leftMs > 0) Atomics.wait(control, ${TURN}, turn, leftMs);
  else {
    parentPort.postMessage(turn);
    Atomics.wait(control, ${TURN}, turn);
  }
}
`;

interface Alarm {
  readonly atNs: number;
  readonly action: () => void;
}

/**
 * Starts the thread and resolves when it runs. While it waits neither it nor the event loop takes any
 * processor time; each instant costs two switches to the thread and one back (bench/README.md).
 *
 * `at` is as a {@link Clock} has it: never early; the returned function cancels.
 */
export async function startThreadPacer(clock: Pick<Clock, 'nowNs'>): Promise<ThreadPacer> {
  const control = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  const instant = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  const words = new Int32Array(control);
  const instantMs = new Float64Array(instant).fill(Number.POSITIVE_INFINITY);
  const data = { workerData: { control, instant } };
  const thread = new Worker(SLEEPER, { eval: true, stderr: true, ...data });
  const ended = new Promise<void>((resolve) => {
    thread.once('exit', () => resolve());
  });
  await new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
  });
  const alarms = new Set<Alarm>();
  let walking: NodeJS.Immediate | null = null;
  let isRinging = false;
  let isHeld = false;
  // On the scale that both threads read; a number, because this is read at every start.
  const sharedOffsetMs = Number(process.hrtime.bigint()) / NS_PER_MS - performance.now();
  /** Whether the thread keeps this process alive. */
  const hold = (isNeeded: boolean): void => {
    if (isNeeded === isHeld) return;
    isHeld = isNeeded;
    if (isNeeded) thread.ref();
    else thread.unref();
  };

  const next = (): Alarm | null => {
    let first: Alarm | null = null;
    for (const alarm of alarms) if (first === null || alarm.atNs < first.atNs) first = alarm;
    return first;
  };
  const ring = (): void => {
    walking = null;
    isRinging = true;
    for (let first = next(); first !== null && first.atNs <= clock.nowNs(); first = next()) {
      alarms.delete(first);
      first.action();
    }
    isRinging = false;
    arm();
  };
  const arm = (): void => {
    const first = next();
    hold(first !== null);
    if (first === null) return;
    const leftNs = first.atNs - clock.nowNs() - LEAD_NS;
    if (leftNs <= 0) {
      walking ??= setImmediate(ring);
      return;
    }
    instantMs[0] = performance.now() + sharedOffsetMs + leftNs / NS_PER_MS;
    Atomics.add(words, TURN, 1);
    Atomics.notify(words, TURN);
  };
  thread.on('message', (turn: number) => {
    // One that was set before the latest instant has been overtaken.
    if (turn === Atomics.load(words, TURN)) ring();
  });
  thread.unref();
  return {
    at(atNs, action) {
      const alarm = { atNs, action };
      const before = next();
      alarms.add(alarm);
      // What rings now looks for the next instant itself.
      if (!isRinging && (before === null || atNs < before.atNs)) arm();
      return () => {
        alarms.delete(alarm);
        hold(alarms.size > 0);
      };
    },
    async stop() {
      alarms.clear();
      if (walking !== null) clearImmediate(walking);
      thread.ref();
      Atomics.store(words, STOPPED, 1);
      Atomics.add(words, TURN, 1);
      Atomics.notify(words, TURN);
      await ended;
    },
  };
}
