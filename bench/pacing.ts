/**
 * How late does each pacer wake the generator, and what does that cost? On an idle event loop, and on
 * one that a client keeps busy, in the same minutes.
 */
import {
  type Clock,
  createRealClock,
  NS_PER_MS,
  NS_PER_SECOND,
  randomStream,
} from '../src/base/index.ts';
import { precisePacer, startThreadPacer } from '../src/host/index.ts';
import { arrivalInstantsNs } from '../src/workload/index.ts';
import { median, print, printTable, printTitle, QUICK, quantilesText } from './support/report.ts';

const ROUNDS = QUICK ? 1 : 3;
const SECONDS = QUICK ? 0.2 : 1;
const RATES = QUICK ? [500] : [50, 500, 2_000];

interface PacerUnderTest {
  readonly pacer: Pick<Clock, 'at'>;
  stop(): Promise<void>;
}

const PACERS: Readonly<Record<string, (clock: Clock) => Promise<PacerUnderTest>>> = {
  timer: async (clock) => ({ pacer: clock, stop: async () => {} }),
  precise: async (clock) => ({ pacer: precisePacer(clock), stop: async () => {} }),
  async thread(clock) {
    const pacer = await startThreadPacer(clock);
    return { pacer, stop: () => pacer.stop() };
  },
};

/** Keeps the loop busy four tenths of the time, in bursts as of an engine step read at once. */
const LOADS = { idle: 0, 'busy 40 %': 4 } as const;
const BURST_EVERY_MS = 10;

interface Sample {
  readonly lateNs: readonly number[];
  readonly cpuShare: number;
}

async function measure(name: string, rateRps: number, burstMs: number): Promise<Sample> {
  const clock = createRealClock();
  const { pacer, stop } = await (PACERS[name] as (typeof PACERS)[string])(clock);
  const burst = setInterval(() => {
    const untilNs = clock.nowNs() + burstMs * NS_PER_MS;
    while (clock.nowNs() < untilNs);
  }, BURST_EVERY_MS);
  if (burstMs === 0) clearInterval(burst);
  const startNs = clock.nowNs() + 10 * NS_PER_MS;
  const dueNs = arrivalInstantsNs(
    {
      rateRps,
      arrivals: { kind: 'poisson' },
      durationNs: SECONDS * NS_PER_SECOND,
      limit: Number.POSITIVE_INFINITY,
    },
    randomStream(1, 'arrivals'),
  ).map((atNs) => startNs + atNs);
  const before = process.cpuUsage();
  const lateNs = await fireAll(clock, pacer, dueNs);
  const spent = process.cpuUsage(before);
  const wallNs = clock.nowNs() - startNs;
  clearInterval(burst);
  await stop();
  return { lateNs, cpuShare: ((spent.user + spent.system) * 1e3) / wallNs };
}

/** As the generator does: all that is due, then one alarm for the next. */
function fireAll(
  clock: Clock,
  pacer: Pick<Clock, 'at'>,
  dueNs: readonly number[],
): Promise<number[]> {
  const lateNs: number[] = [];
  return new Promise((resolve) => {
    const fireDue = (): void => {
      for (let due = dueNs[lateNs.length]; due !== undefined; due = dueNs[lateNs.length]) {
        const nowNs = clock.nowNs();
        if (due > nowNs) return void pacer.at(due, fireDue);
        lateNs.push(nowNs - due);
      }
      resolve(lateNs);
    };
    fireDue();
  });
}

printTitle('Pacing', [
  `Poisson starts for ${SECONDS} s, ${ROUNDS} rounds in turns; nothing is sent. A start is late by what passes ` +
    'between its instant and the call. CPU is all of the process, with the pacer’s thread, and with the ' +
    'busy loop’s own work where there is some; the median of the rounds.',
]);
const rows: string[][] = [];
for (const [load, burstMs] of Object.entries(LOADS)) {
  for (const rateRps of RATES) {
    const samples = new Map<string, Sample[]>(Object.keys(PACERS).map((name) => [name, []]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, taken] of samples) taken.push(await measure(name, rateRps, burstMs));
    }
    for (const [name, taken] of samples) {
      const lateNs = taken.flatMap((sample) => sample.lateNs);
      rows.push([
        load,
        String(rateRps),
        name,
        quantilesText(lateNs, { qs: [0.5, 0.99, 1], unit: NS_PER_MS, digits: 2 }),
        `${(100 * median(taken.map(({ cpuShare }) => cpuShare))).toFixed(1)} %`,
      ]);
    }
  }
}
printTable(['loop', 'starts/s', 'pacer', 'late p50 / p99 / max ms', 'CPU'], rows);
print([
  '`timer` is the event loop’s own, `precise` walks turn by turn, `thread` sleeps in `Atomics.wait`.',
]);
