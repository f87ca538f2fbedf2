/** A pacer that sleeps in a thread of its own, which wakes the event loop when the instant has come. */
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { type Clock, NS_PER_MS, NS_PER_US } from '../base/index.ts';

export interface StartedPacer extends Pick<Clock, 'at'> {
  /** To be called when the load is over. Alarms that have not rung never will. */
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
export async function startThreadPacer(clock: Pick<Clock, 'nowNs'>): Promise<StartedPacer> {
  const pacer = new SleepingThread(clock);
  await pacer.running();
  return pacer;
}

class SleepingThread implements StartedPacer {
  readonly #clock: Pick<Clock, 'nowNs'>;
  readonly #control = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  readonly #instantMs = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  readonly #thread: Worker;
  readonly #ended: Promise<void>;
  readonly #alarms = new Set<Alarm>();
  /** From this thread's count to the one that both threads read. */
  readonly #offsetMs = Number(process.hrtime.bigint()) / NS_PER_MS - performance.now();
  #walking: NodeJS.Immediate | null = null;
  #isRinging = false;
  /** Whether the thread keeps this process alive. */
  #isHeld = false;

  constructor(clock: Pick<Clock, 'nowNs'>) {
    this.#clock = clock;
    this.#instantMs[0] = Number.POSITIVE_INFINITY;
    const workerData = { control: this.#control.buffer, instant: this.#instantMs.buffer };
    const thread = new Worker(SLEEPER, { eval: true, stderr: true, workerData });
    this.#thread = thread;
    this.#ended = new Promise((resolve) => {
      thread.once('exit', () => resolve());
    });
  }

  async running(): Promise<void> {
    await new Promise((resolve, reject) => {
      this.#thread.once('message', resolve);
      this.#thread.once('error', reject);
    });
    this.#thread.on('message', (turn: number) => {
      // One that was set before the latest instant has been overtaken.
      if (turn === Atomics.load(this.#control, TURN)) this.#ring();
    });
    this.#thread.unref();
  }

  at(atNs: number, action: () => void): () => void {
    const alarm = { atNs, action };
    const before = this.#next();
    this.#alarms.add(alarm);
    // What rings now looks for the next instant itself.
    if (!this.#isRinging && (before === null || atNs < before.atNs)) this.#arm();
    return () => {
      this.#alarms.delete(alarm);
      this.#hold(this.#alarms.size > 0);
    };
  }

  async stop(): Promise<void> {
    this.#alarms.clear();
    if (this.#walking !== null) clearImmediate(this.#walking);
    this.#hold(true);
    Atomics.store(this.#control, STOPPED, 1);
    this.#wake();
    await this.#ended;
  }

  #next(): Alarm | null {
    let first: Alarm | null = null;
    for (const alarm of this.#alarms) {
      if (first === null || alarm.atNs < first.atNs) first = alarm;
    }
    return first;
  }

  #ring(): void {
    this.#walking = null;
    this.#isRinging = true;
    for (
      let first = this.#next();
      first !== null && first.atNs <= this.#clock.nowNs();
      first = this.#next()
    ) {
      this.#alarms.delete(first);
      first.action();
    }
    this.#isRinging = false;
    this.#arm();
  }

  #arm(): void {
    const first = this.#next();
    this.#hold(first !== null);
    if (first === null) return;
    const leftNs = first.atNs - this.#clock.nowNs() - LEAD_NS;
    if (leftNs <= 0) {
      this.#walking ??= setImmediate(() => this.#ring());
      return;
    }
    this.#instantMs[0] = performance.now() + this.#offsetMs + leftNs / NS_PER_MS;
    this.#wake();
  }

  #wake(): void {
    Atomics.add(this.#control, TURN, 1);
    Atomics.notify(this.#control, TURN);
  }

  #hold(isNeeded: boolean): void {
    if (isNeeded === this.#isHeld) return;
    this.#isHeld = isNeeded;
    if (isNeeded) this.#thread.ref();
    else this.#thread.unref();
  }
}
