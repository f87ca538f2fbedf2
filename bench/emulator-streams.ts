/** How many streams does the emulator carry, and how faithful is it to its own plan meanwhile? */
import { setTimeout as sleepMs } from 'node:timers/promises';
import type { Lateness } from '../src/emulator/index.ts';
import type { BurstSample } from './support/burst-server.ts';
import { chatBody } from './support/chat-client.ts';
import type { EmulatorQuestion, EmulatorSample } from './support/emulator-process.ts';
import { openRawStream, postRequest } from './support/raw-stream.ts';
import { print, printTable, printTitle, QUICK, type Row } from './support/report.ts';
import { startWorker } from './support/worker-process.ts';

const STREAM_COUNTS = QUICK ? [20] : [250, 500, 1_000];
const WINDOW_MS = QUICK ? 500 : 5_000;
const TOKENS_PER_SECOND = 40;
/** Enough to outlast connecting, warm-up and window. */
const OUTPUT_TOKENS = TOKENS_PER_SECOND * (QUICK ? 10 : 60);

/**
 * The speed at which a step of that many decoding requests takes 1/40 s. By default the emulator's
 * step takes the longer of reading the weights (5.26 ms) and computing (29.4 µs a token), plus
 * 0.8 ms; the table shows the rate that came of it.
 */
function speedScaleFor(streams: number): number {
  return 1 / TOKENS_PER_SECOND / (Math.max(5.26e-3, streams * 29.4e-6) + 0.8e-3);
}

function request(stream: number): string {
  return postRequest('/v1/chat/completions', `stream-${stream}`, chatBody(OUTPUT_TOKENS));
}

async function measure(streams: number): Promise<Row> {
  const bare = await measureBareWriter(streams);
  const emulator = startWorker<EmulatorQuestion, EmulatorSample>('./emulator-process.ts');
  const { port } = await emulator.ask({
    kind: 'start',
    options: {
      speedScale: speedScaleFor(streams),
      maxSequences: streams,
      tokenBudget: 2 * streams,
    },
  });
  const [before, after] = await loaded(port, streams, () => emulator.ask({ kind: 'sample' }));
  await emulator.stop();
  return rowOf(streams, before, after, bare);
}

/** What writing alone costs, per event: nothing that sends these bytes one by one can be below it. */
interface BareCost {
  readonly cpuUs: number;
  readonly lateMs: number;
}

async function measureBareWriter(streams: number): Promise<BareCost> {
  const server = startWorker<object, BurstSample>('./burst-server.ts');
  const { port } = await server.ask({});
  const [before, after] = await loaded(port, streams, () => server.ask({}));
  await server.stop();
  const writes = after.writes - before.writes;
  return {
    cpuUs: (after.cpuUs - before.cpuUs) / writes,
    lateMs: (after.lateNs - before.lateNs) / writes / 1e6,
  };
}

/** Opens the streams, lets them settle, and samples at both ends of the window. */
async function loaded<Sample>(
  port: number,
  streams: number,
  sample: () => Promise<Sample>,
): Promise<readonly [Sample, Sample]> {
  const sockets = [];
  for (let stream = 0; stream < streams; stream += 1) {
    sockets.push(await openRawStream(port, request(stream), () => {}));
  }
  await sleepMs(QUICK ? 100 : 1_000);
  const before = await sample();
  await sleepMs(WINDOW_MS);
  const after = await sample();
  for (const socket of sockets) socket.destroy();
  return [before, after];
}

function rowOf(
  streams: number,
  before: EmulatorSample,
  after: EmulatorSample,
  bare: BareCost,
): Row {
  const seconds = (after.atNs - before.atNs) / 1e9;
  const events = after.lateness.events.count - before.lateness.events.count;
  const cpuUs = after.cpuUs - before.cpuUs;
  return [
    streams,
    (events / seconds).toFixed(0),
    (events / seconds / streams).toFixed(1),
    `${(cpuUs / seconds / 1e4).toFixed(0)} %`,
    `${(cpuUs / events).toFixed(1)} / ${bare.cpuUs.toFixed(1)}`,
    meanMs(before.lateness.steps, after.lateness.steps),
    `${meanMs(before.lateness.events, after.lateness.events)} / ${bare.lateMs.toFixed(2)}`,
  ];
}

/** Mean lateness of what happened between two readings. */
function meanMs(before: Lateness, after: Lateness): string {
  const sumNs = ({ count, meanNs }: Lateness): number => count * (meanNs ?? 0);
  const meanNs = (sumNs(after) - sumNs(before)) / (after.count - before.count);
  return (meanNs / 1e6).toFixed(2);
}

printTitle('The emulator under many streams', [
  'The emulator in its own process, its speed set so that a step of all streams takes 25 ms; this ' +
    'process only reads the sockets. All streams of a step are due at the same instant, as in a ' +
    'real engine, and are written one after another: an event is late by the events before it. ' +
    'The bare writer beside it sends the same bytes in the same bursts and does nothing else: its ' +
    'cost is what one write to one socket costs here, and half its burst is how late an event must ' +
    `be on average. All over the same ${WINDOW_MS / 1e3} s each, one after the other.`,
]);
const rows: Row[] = [];
for (const streams of STREAM_COUNTS) rows.push(await measure(streams));
printTable(
  [
    'streams',
    'events/s',
    'events/s/stream (40 asked)',
    'core',
    'µs CPU/event / bare write',
    'step late mean ms',
    'event late mean ms / bare write',
  ],
  rows,
);
print(['The CPU holds the wait for exact instants: up to 2 ms of every step, 8 % of a core here.']);
