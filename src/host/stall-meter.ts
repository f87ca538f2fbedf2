/** A thread that does nothing but sleep, to see when the machine gives it no time. */
import { Worker } from 'node:worker_threads';
import { NS_PER_MS } from '../base/index.ts';
import type { Pause } from './stall-sorter.ts';

export interface StallMeter {
  /** The clock that pauses are stamped with: the same in every thread of the process. */
  nowMs(): number;
  /** Pauses seen since the last call. At most the latest 1,024 of them. */
  takePauses(): Pause[];
  /** Ends the thread. */
  stop(): Promise<void>;
}

const CAPACITY = 1_024;
/** Places in the shared control words. */
const WRITTEN = 0;
const STOPPED = 1;

/**
 * Plain text, because a worker starts from a file only where it knows the file's final name, and
 * this code runs both as written and as built. Sleeps 1 ms at a time and writes down each sleep
 * that took over 2 ms more.
 */
const SLEEPER = `
const { workerData } = require('node:worker_threads');
const control = new Int32Array(workerData.control);
const spans = new Float64Array(workerData.spans);
const nowMs = () => Number(process.hrtime.bigint()) / ${NS_PER_MS};
let before = nowMs();
while (Atomics.load(control, ${STOPPED}) === 0) {
  Atomics.wait(control, ${STOPPED}, 0, 1);
  const after = nowMs();
  if (after - before > 3) {
    const at = (Atomics.load(control, ${WRITTEN}) % ${CAPACITY}) * 2;
    spans[at] = before + 1;
    spans[at + 1] = after;
    Atomics.add(control, ${WRITTEN}, 1);
  }
  before = after;
}
`;

export function startStallMeter(): StallMeter {
  const control = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  const spans = new SharedArrayBuffer(2 * CAPACITY * Float64Array.BYTES_PER_ELEMENT);
  const controlWords = new Int32Array(control);
  const spanTimes = new Float64Array(spans);
  const worker = new Worker(SLEEPER, { eval: true, workerData: { control, spans }, stderr: true });
  worker.unref();
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
  });
  // No reason to end a run: without the thread every pause is blamed on the loop, the strict view.
  worker.on('error', () => {});
  let taken = 0;
  return {
    nowMs: () => Number(process.hrtime.bigint()) / NS_PER_MS,
    takePauses() {
      const written = Atomics.load(controlWords, WRITTEN);
      const pauses: Pause[] = [];
      for (let each = Math.max(taken, written - CAPACITY); each < written; each += 1) {
        const at = (each % CAPACITY) * 2;
        pauses.push({ fromMs: spanTimes[at] as number, toMs: spanTimes[at + 1] as number });
      }
      taken = written;
      return pauses;
    },
    async stop() {
      worker.ref();
      Atomics.store(controlWords, STOPPED, 1);
      Atomics.notify(controlWords, STOPPED);
      await ended;
    },
  };
}
