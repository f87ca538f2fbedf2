/**
 * What does it cost the client to receive a chunk, and how old is a chunk when it is stamped?
 * Against a loop that only reads the sockets, measured in the same minute.
 */
import { answersInTurnNs } from './support/answers-in-turn.ts';
import { makeCertificate } from './support/certificate.ts';
import { parseCostsNs } from './support/parse-cost.ts';
import { median, print, printTable, printTitle, QUICK, quantilesText } from './support/report.ts';
import type { ReadAnswer, ReadQuestion } from './support/reader-process.ts';
import type { Pace, SseServerAnswer, SseServerQuestion } from './support/sse-protocol.ts';
import type { ReaderName, StreamSource } from './support/stream-readers.ts';
import { startWorker } from './support/worker-process.ts';

const WIDE = process.argv.includes('--wide');
const READERS: readonly ReaderName[] = WIDE
  ? ['net', 'fast', 'compat']
  : ['net', 'undici', 'fast', 'compat'];
const ROUNDS = QUICK ? 1 : WIDE ? 2 : 3;
/** Long enough for the client to have learned what its chunks look like, and to read them as it goes. */
const WARMUP_MS = QUICK ? 200 : 1_200;
const WINDOW_MS = QUICK ? 300 : 1_600;
/** Of the chunks due, or sent: fewer, and whoever was to send or receive them was the limit. */
const ENOUGH_SHARE = 0.97;

interface Scenario extends Pace {
  readonly streams: number;
  readonly tls: boolean;
}

/** `--wide` is the whole grid; `--streams 1024` keeps the scenarios of so many streams. */
const SCENARIOS: readonly Scenario[] = scenarios().filter(
  ({ streams }) => !process.argv.includes('--streams') || process.argv.includes(String(streams)),
);

function scenarios(): Scenario[] {
  const spread = { intervalMs: 40, burst: false, tls: false };
  if (QUICK) return [{ ...spread, streams: 16 }];
  if (WIDE) return grid();
  return [
    ...[64, 256, 1_024].map((streams) => ({ ...spread, streams })),
    { ...spread, streams: 1_024, burst: true },
    { ...spread, streams: 256, tls: true },
  ];
}

function grid(): Scenario[] {
  const paces = [40, 25].flatMap((intervalMs) => [
    { intervalMs, burst: false },
    { intervalMs, burst: true },
  ]);
  return [false, true].flatMap((tls) =>
    [64, 256, 1_024, 4_096].flatMap((streams) => paces.map((pace) => ({ ...pace, streams, tls }))),
  );
}

interface Sample {
  readonly usPerChunk: number;
  readonly cpuShare: number;
  /** Of the chunks that were due in the window. */
  readonly sentShare: number;
  /** Of the chunks that were sent in it. */
  readonly receivedShare: number;
  readonly agesNs: readonly number[];
}

const server = startWorker<SseServerQuestion, SseServerAnswer>('./sse-server.ts');
const readers = new Map(
  READERS.map((name) => [name, startWorker<ReadQuestion, ReadAnswer>('./reader-process.ts')]),
);

async function measure(
  reader: ReaderName,
  source: StreamSource,
  { streams, intervalMs, burst }: Scenario,
): Promise<Sample> {
  const worker = readers.get(reader);
  if (worker === undefined) throw new Error(`no process for ${reader}`);
  await server.ask({ kind: 'pace', intervalMs, burst });
  const requestIds = Array.from({ length: streams }, (_, stream) => `${reader}-${stream}`);
  const read = await worker.ask({
    reader,
    source,
    requestIds,
    warmupMs: WARMUP_MS,
    windowMs: WINDOW_MS,
  });
  const sent = await server.ask({ kind: 'takeSendTimes' });
  if (sent.kind !== 'sendTimes') throw new Error('the server did not tell its send times');
  const agesNs: number[] = [];
  let sentCount = 0;
  for (const [requestId, times] of read.times) {
    const sentNs = sent.sentNs.get(requestId) ?? [];
    sentCount += sentNs.filter((atNs) => atNs >= read.fromNs && atNs < read.toNs).length;
    for (const [chunk, atNs] of times.entries()) {
      if (atNs >= read.fromNs && atNs < read.toNs) agesNs.push(atNs - (sentNs[chunk] as number));
    }
  }
  return {
    usPerChunk: read.cpuUs / agesNs.length,
    cpuShare: (read.cpuUs * 1e3) / (read.toNs - read.fromNs),
    sentShare: (sentCount * intervalMs * 1e6) / (streams * (read.toNs - read.fromNs)),
    receivedShare: agesNs.length / sentCount,
    agesNs,
  };
}

function rowsOf(scenario: Scenario, samples: ReadonlyMap<ReaderName, readonly Sample[]>) {
  const costs = (name: ReaderName): readonly number[] =>
    (samples.get(name) ?? []).map(({ usPerChunk }) => usPerChunk);
  const perCore = (name: ReaderName): string => (1e3 / median(costs(name))).toFixed(0);
  const ratios = (name: ReaderName): readonly number[] =>
    costs(name).map((us, round) => us / (costs('net')[round] as number));
  return READERS.map((name) => {
    const own = samples.get(name) ?? [];
    const all = costs(name).map((us) => us.toFixed(1));
    return [
      scenarioText(scenario),
      name,
      `${median(costs(name)).toFixed(1)} (${all.join(', ')})`,
      median(ratios(name)).toFixed(2),
      perCore(name),
      percentText(own.map(({ cpuShare }) => cpuShare)),
      limitText(own),
      quantilesText(
        own.flatMap(({ agesNs }) => agesNs),
        { qs: [0.5, 0.99], unit: 1e6, digits: 2 },
      ),
    ];
  });
}

function scenarioText({ streams, intervalMs, burst, tls }: Scenario): string {
  return `${streams} × ${1_000 / intervalMs}/s${burst ? ', bursts' : ''}${tls ? ', TLS' : ''}`;
}

/** Where not all chunks due came, who was to blame. */
function limitText(samples: readonly Sample[]): string {
  const sent = median(samples.map(({ sentShare }) => sentShare));
  const received = median(samples.map(({ receivedShare }) => receivedShare));
  if (sent < ENOUGH_SHARE) return `sender: ${percentText([sent])} of due sent`;
  return received < ENOUGH_SHARE ? `reader: ${percentText([received])} of sent read` : 'all read';
}

function percentText(shares: readonly number[]): string {
  return `${(100 * median(shares)).toFixed(0)} %`;
}

printTitle('CPU time per received chunk', [
  'A raw socket server in its own process sends every stream a chunk at its pace, one write per ' +
    'token, phases spread or all at once (bursts). Each reader is a process of its own; the readers ' +
    `take turns, ${ROUNDS} × ${WINDOW_MS} ms each after ${WARMUP_MS} ms of warm-up. \`net\` only reads ` +
    'the sockets, `undici` parses HTTP and looks at nothing, `fast` and `compat` are our client. CPU is ' +
    'user + system of the reader; the ratio is the median over rounds; age is the stamp of a chunk less its send time.',
]);
const certificate = SCENARIOS.some(({ tls }) => tls) ? makeCertificate() : null;
const started = await server.ask({ kind: 'start', tls: certificate });
if (started.kind !== 'started') throw new Error('the server did not start');
const { layout } = started;
const possible = SCENARIOS.filter(({ tls }) => !tls || certificate !== null);
if (possible.length < SCENARIOS.length) print(['Without openssl there is no certificate: no TLS.']);
// Every reader must be compiled before the first measured round.
for (const name of READERS) {
  await measure(name, { layout, ca: null }, possible[0] as Scenario);
}
const rows = [];
for (const scenario of possible) {
  const source = { layout, ca: scenario.tls ? (certificate?.cert ?? null) : null };
  const samples = new Map<ReaderName, Sample[]>(READERS.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of READERS) {
      samples.get(name)?.push(await measure(name, source, scenario));
    }
  }
  rows.push(...rowsOf(scenario, samples));
}
printTable(
  [
    'streams',
    'reader',
    'µs/chunk (rounds)',
    'ratio to net',
    'thousand chunks/s and core',
    'core',
    'due, sent, read',
    'age p50 / p99 ms',
  ],
  rows,
);
print([
  'A ratio compares processes of the same minute; the µs are of this machine at that load. Where ' +
    'less than all chunks due were sent, the sender was the limit and the row tells little of the reader; ' +
    'where not all sent were read, the reader was. The ages are then of who was starved.',
]);
printTitle('Of which reading is ours', [
  'The same chunks handed to the reader of one answer in this process, without sockets; user time. In the ' +
    'last two columns all that follows a read, its stamp included, for one answer and for many that take turns.',
]);
const { framing, alike, parsed } = parseCostsNs();
const many = QUICK ? 16 : 1_024;
const inTurn = QUICK ? 20_000 : 600_000;
const alone = await answersInTurnNs(1, inTurn);
const together = await answersInTurnNs(many, inTurn);
const usText = (ns: number): string => (ns / 1e3).toFixed(2);
printTable(
  [
    'µs/chunk',
    'HTTP framing alone',
    'events by their likeness',
    'every event parsed',
    'parsed / alike',
    'all our client adds: one answer',
    `${many} answers in turn`,
  ],
  [
    [
      'chat',
      usText(framing),
      usText(alike),
      usText(parsed),
      (parsed / alike).toFixed(1),
      usText(alone),
      usText(together),
    ],
  ],
);
await Promise.all([server, ...readers.values()].map((worker) => worker.stop()));
