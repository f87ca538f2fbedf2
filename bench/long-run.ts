/**
 * Does the client grow? Ten minutes of answers from the emulator, some of them given up half way: what
 * it holds in memory and in descriptors, minute by minute, after a collection of garbage.
 */
import { readdirSync } from 'node:fs';
import { setTimeout as sleepMs } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createRealClock, NS_PER_MS } from '../src/base/index.ts';
import type { HttpClient } from '../src/client/index.ts';
import { chatBody, chatClient } from './support/chat-client.ts';
import type { EmulatorQuestion, EmulatorSample } from './support/emulator-process.ts';
import { print, printTable, printTitle, QUICK, type Row } from './support/report.ts';
import { startWorker } from './support/worker-process.ts';

const CONCURRENCY = QUICK ? 8 : 256;
const MINUTES = 10;
const MINUTE_MS = QUICK ? 60 : 60_000;
const OUTPUT_TOKENS = QUICK ? 8 : 100;
/** One request in so many is given up long before its answer ends. */
const GIVEN_UP_EVERY = 10;
const GIVEN_UP_AFTER_NS = 200 * NS_PER_MS;
const TIMEOUT_NS = 60_000 * NS_PER_MS;
const MB = 1e6;

const clock = createRealClock();
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const counts = { sent: 0, completed: 0, events: 0 };

/** One after the other, until `signal` is aborted. Nothing of an answer is kept. */
async function sendInTurn(client: HttpClient, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    counts.sent += 1;
    const isGivenUp = counts.sent % GIVEN_UP_EVERY === 0;
    const { end, timeline } = await client.send(
      {
        requestId: `r-${counts.sent}`,
        body: chatBody(OUTPUT_TOKENS),
        headers: {},
        streamed: true,
        deadlineNs: clock.nowNs() + (isGivenUp ? GIVEN_UP_AFTER_NS : TIMEOUT_NS),
        traceId: null,
      },
      signal,
    );
    if (end.kind === 'completed') counts.completed += 1;
    counts.events += timeline.output.atNs.length;
  }
}

function rowOf(minute: number, client: HttpClient): Row {
  collectGarbage();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  return [
    minute,
    counts.sent,
    counts.completed,
    counts.events,
    client.connectionsOpened,
    ...[heapUsed, arrayBuffers, rss].map((bytes) => (bytes / MB).toFixed(1)),
    readdirSync('/proc/self/fd').length,
  ];
}

printTitle('What the client holds over ten minutes', [
  `${CONCURRENCY} requests at a time over the fast transport, ${OUTPUT_TOKENS} tokens each, one in ` +
    `${GIVEN_UP_EVERY} given up after 0.2 s; the emulator is a process of its own. Heap and memory of ` +
    'buffers after a collection of garbage, resident memory and descriptors of this process.',
]);
const emulator = startWorker<EmulatorQuestion, EmulatorSample>('./emulator-process.ts');
const { port } = await emulator.ask({
  kind: 'start',
  options: { maxSequences: CONCURRENCY, tokenBudget: 2 * CONCURRENCY },
});
const client = chatClient(`http://127.0.0.1:${port}`, clock);
const stop = new AbortController();
const loops = Array.from({ length: CONCURRENCY }, () => sendInTurn(client, stop.signal));
const rows: Row[] = [];
for (let minute = 1; minute <= MINUTES; minute += 1) {
  await sleepMs(MINUTE_MS);
  rows.push(rowOf(minute, client));
}
stop.abort();
await Promise.all(loops);
client.close();
await sleepMs(100);
rows.push(['closed', ...rowOf(0, client).slice(1)]);
printTable(
  [
    'minute',
    'sent',
    'completed',
    'output events',
    'connections opened',
    'heap MB',
    'buffers MB',
    'resident MB',
    'descriptors',
  ],
  rows,
);
print(['The first minute warms up; what is flat from then on does not leak.']);
await emulator.stop();
