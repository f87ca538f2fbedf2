/**
 * What does it cost to send a load from several generator processes instead of one? Per chunk with
 * many open streams, and per request with many starts; the recording process counts too.
 */
import { createRealClock, NS_PER_MS, NS_PER_SECOND } from '../src/base/index.ts';
import { runSpecFromFlags } from '../src/config/index.ts';
import { GeneratorPool } from '../src/experiment/generators/generator-pool.ts';
import { readyStripes } from '../src/experiment/generators/ready-stripes.ts';
import type { GeneratorLoad } from '../src/experiment/generate-load.ts';
import { checkLoadLimits } from '../src/host/index.ts';
import { Budget, sharesOf } from '../src/loadgen/index.ts';
import { recordLine, type RequestRecord } from '../src/record/index.ts';
import { type LoadShape, planSchedule, type PromptSource } from '../src/workload/index.ts';
import { usageOf } from './support/process-cpu.ts';
import { median, print, printTable, printTitle, QUICK, quantilesText } from './support/report.ts';
import type { SseServerAnswer, SseServerQuestion } from './support/sse-protocol.ts';
import { startWorker } from './support/worker-process.ts';

const ROUNDS = numberAfter('--rounds') ?? (QUICK ? 1 : 3);
const SECONDS = numberAfter('--seconds') ?? (QUICK ? 0.3 : 3);
const STREAMS = numberAfter('--streams') ?? (QUICK ? 16 : 256);
const STARTS_RPS = numberAfter('--starts') ?? (QUICK ? 100 : 500);
const INTERVAL_MS = numberAfter('--interval') ?? 40;
/** One process; the same load from two; and two that carry as much as the one did, each. */
const SETUPS = [
  { processes: 1, loads: 1 },
  { processes: 2, loads: 1 },
  { processes: 2, loads: 2 },
] as const;

interface Setup {
  readonly processes: number;
  /** Of the load of one process. */
  readonly loads: number;
}
const NO_LIMIT = {
  maxRequests: null,
  maxOutputTokens: null,
  maxCostUsd: null,
  pricePerMillionInputTokensUsd: null,
  pricePerMillionOutputTokensUsd: null,
};
const SOURCE: PromptSource = {
  kind: 'synthetic',
  input: { kind: 'fixed', tokens: 64 },
  output: { kind: 'fixed', tokens: 128 },
  prefix: { kind: 'unique' },
};

function numberAfter(flag: string): number | null {
  const at = process.argv.indexOf(flag);
  return at < 0 ? null : Number(process.argv[at + 1]);
}

const clock = createRealClock();

function poolFor(port: number): GeneratorPool {
  const parsed = runSpecFromFlags(
    { url: `http://127.0.0.1:${port}`, rate: '1', model: 'm' },
    { env: {}, readFile: () => '' },
  );
  if ('problems' in parsed) throw new Error(parsed.problems.map(({ message }) => message).join());
  return new GeneratorPool({
    target: parsed.spec.target,
    checks: [],
    clockOriginMs: clock.sharedOriginMs,
    wallOriginMs: 0,
    apiKey: null,
    files: {},
    tracing: { traceShare: 0, seeds: { arrivals: 1, lengths: 1, prompts: 1 } },
    source: SOURCE,
    preflight: {
      talk: {
        model: 'm',
        maxTokensField: 'max_tokens',
        tokens: 'usage',
        oneTokenPerEvent: false,
        exactOutput: false,
        local: null,
      },
      calibration: null,
    },
  });
}

interface Sample {
  readonly sent: number;
  readonly chunks: number;
  /** Of the generators together, and of this process, over the whole load. */
  readonly generatorMs: number;
  readonly recorderMs: number;
  readonly lateNs: readonly number[];
  readonly loopShareMax: number;
  readonly residentBytes: number;
}

async function measure(pool: GeneratorPool, count: number, shape: LoadShape): Promise<Sample> {
  const schedule = planSchedule({
    source: SOURCE,
    shape,
    seeds: { arrivals: 1, lengths: 1, prompts: 1, text: 1 },
  });
  const open = schedule.slots ?? schedule.requests.length;
  checkLoadLimits({
    connections: sharesOf(open, count),
    addresses: 1,
    requests: schedule.requests.length,
  });
  const load: GeneratorLoad = {
    schedule,
    requestTimeoutNs: 60 * NS_PER_SECOND,
    maxInFlight: Math.max(open, 1),
    retry: null,
    latenessLimitNs: null,
    atEnd: schedule.slots === null ? { kind: 'drain', limitNs: NS_PER_SECOND } : { kind: 'cancel' },
    connections: schedule.slots ?? 64,
    arrivalsRps: null,
    template: {
      source: 'measured',
      clock: 'client',
      experimentHash: 'e',
      runId: `${Math.round(clock.nowNs())}`,
      pointIndex: 0,
      labels: { model: 'm', tenant: null, region: null },
      streamed: true,
      oneTokenPerEvent: true,
    },
  };
  const budget = new Budget(NO_LIMIT);
  const stopStarts = new AbortController().signal;
  const start = await readyStripes(load, { pool, count, budget, clock, stopStarts });
  const pids = pool.take(count).map(({ pid }) => pid as number);
  const cpuMs = (): number => pids.reduce((sum, pid) => sum + usageOf(pid).cpuMs, 0);
  const [generatorsBefore, recorderBefore] = [cpuMs(), process.cpuUsage()];
  const records: RequestRecord[] = [];
  let bytes = 0;
  const { evidence } = await start(clock.nowNs() + 50 * NS_PER_MS, {
    budget,
    stopStarts,
    cancelAll: new AbortController().signal,
    onProgress: null,
    onRecord(record) {
      if (record.dispatch.kind !== 'sent') return;
      // A run writes every record.
      bytes += recordLine(record).length;
      records.push(record);
    },
  });
  const recorder = process.cpuUsage(recorderBefore);
  if (bytes === 0) throw new Error('nothing was recorded');
  return {
    sent: records.length,
    chunks: records.reduce((sum, { timeline }) => sum + (timeline?.output.atNs.length ?? 0), 0),
    generatorMs: cpuMs() - generatorsBefore,
    recorderMs: (recorder.user + recorder.system) / 1e3,
    lateNs: records.flatMap(({ dispatch }) =>
      dispatch.kind === 'sent' ? [dispatch.dispatchedNs - dispatch.plannedNs] : [],
    ),
    loopShareMax: evidence.loopUtilisationShare,
    residentBytes: pids.reduce((sum, pid) => sum + usageOf(pid).residentBytes, 0),
  };
}

/** All in turns, after one round that nobody counts. */
async function measureTurns(
  port: number,
  shapeOf: (loads: number) => LoadShape,
): Promise<Map<Setup, Sample[]>> {
  const pool = poolFor(port);
  const samples = new Map<Setup, Sample[]>(SETUPS.map((setup) => [setup, []]));
  for (let round = QUICK ? 0 : -1; round < ROUNDS; round += 1) {
    for (const [setup, taken] of samples) {
      const sample = await measure(pool, setup.processes, shapeOf(setup.loads));
      if (round >= 0) taken.push(sample);
    }
  }
  await pool.close();
  return samples;
}

function printCosts(
  unit: string,
  samples: ReadonlyMap<Setup, readonly Sample[]>,
  unitsOf: (sample: Sample) => number,
): void {
  const costUs = (sample: Sample): number =>
    ((sample.generatorMs + sample.recorderMs) * 1e3) / unitsOf(sample);
  const one = (samples.get(SETUPS[0]) ?? []).map(costUs);
  const rows = [...samples].map(([{ processes, loads }, taken]) => [
    processes,
    loads / processes,
    median(taken.map(unitsOf)),
    median(taken.map((each) => (each.generatorMs * 1e3) / unitsOf(each))).toFixed(1),
    median(taken.map((each) => (each.recorderMs * 1e3) / unitsOf(each))).toFixed(1),
    median(taken.map((each, round) => costUs(each) / (one[round] as number))).toFixed(2),
    `${(100 * median(taken.map(({ loopShareMax }) => loopShareMax))).toFixed(0)} %`,
    quantilesText(
      taken.flatMap(({ lateNs }) => lateNs),
      { qs: [0.5, 0.99], unit: NS_PER_MS, digits: 2 },
    ),
    `${Math.round(median(taken.map(({ residentBytes }) => residentBytes)) / 1e6)} MB`,
  ]);
  printTable(
    [
      'generator processes',
      'load of each',
      `${unit}s`,
      `generators µs/${unit}`,
      `recorder µs/${unit}`,
      'ratio',
      'busiest loop',
      'start late p50 / p99 ms',
      'generators hold',
    ],
    rows,
  );
}

printTitle('Generator processes', [
  `A closed loop of ${STREAMS} streams that are sent ${1_000 / INTERVAL_MS} chunks/s each until they are ` +
    `cancelled, then ${STARTS_RPS} Poisson starts/s that are answered at once; ${SECONDS} s each, ${ROUNDS} ` +
    'rounds in turns. CPU is user + system over the whole load, of the generator processes and of the ' +
    'process that records; the ratio is of their sum, round by round, to one process with that load.',
]);
const streamServer = startWorker<SseServerQuestion, SseServerAnswer>('./sse-server.ts');
const started = await streamServer.ask({ kind: 'start', tls: null });
if (started.kind !== 'started') throw new Error('the server did not start');
await streamServer.ask({ kind: 'pace', intervalMs: INTERVAL_MS, burst: false });
const streams = await measureTurns(started.layout.port, (loads) => ({
  kind: 'concurrency',
  streams: loads * STREAMS,
  durationNs: SECONDS * NS_PER_SECOND,
  maxRequests: loads * STREAMS,
}));
await streamServer.stop();
printCosts('chunk', streams, ({ chunks }) => chunks);
const shortServer = startWorker<object, number>('./short-server.ts');
const starts = await measureTurns(await shortServer.ask({}), (loads) => ({
  kind: 'rate',
  rateRps: loads * STARTS_RPS,
  arrivals: { kind: 'poisson' },
  durationNs: SECONDS * NS_PER_SECOND,
  maxRequests: null,
}));
await shortServer.stop();
printCosts('request', starts, ({ sent }) => sent);
print(['Where the machine is busy only ratios mean something, and lateness means nothing.']);
