/**
 * How many requests does the simulator serve per second of one core, step by step and from decision
 * to decision, and does its memory grow with the length of a run?
 */
import { execFileSync } from 'node:child_process';
import { SEED_COST } from '../src/engine/index.ts';
import {
  collectRequests,
  driveBatch,
  type DriveMethod,
  type RequestBlock,
  sourceOf,
  SWEEP_DEFAULTS,
  sweepCounts,
  sweepSource,
} from '../src/simulator/index.ts';
import { median, print, printTable, printTitle, QUICK, type Row } from './support/report.ts';

const RATES_RPS = [1, 4, 7.5, 12];
const REQUESTS = QUICK ? 5_000 : 1_000_000;
const ROUNDS = QUICK ? 1 : 5;
const MEMORY_REQUESTS = QUICK ? [10_000] : [100_000, 1_000_000, 10_000_000];
const MEMORY_RATE_RPS = 7.5;
const MEMORY_FLAG = '--memory-of';

interface Timing {
  readonly requestsPerSecond: number;
  readonly decisionsPerRequest: number;
}

/** CPU seconds, user and system, so that a neighbour's share of the core does not count as ours. */
function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function timeEngine(block: RequestBlock, method: DriveMethod): Timing {
  let decisions = 0;
  let good = 0;
  const sink = {
    finished(arrival: number, _prompt: number, output: number, first: number, last: number): void {
      if (first - arrival <= 1 && last - first <= 0.015 * (output - 1)) good += 1;
    },
  };
  const options = { ...SWEEP_DEFAULTS, leakTokens: 0, cost: SEED_COST, observer: null } as const;
  const seconds = cpuSeconds(() => {
    decisions = driveBatch(sourceOf(block), { ...options, method }, sink);
  });
  if (good > block.count) throw new Error('more good requests than requests');
  return {
    requestsPerSecond: block.count / seconds,
    decisionsPerRequest: decisions / block.count,
  };
}

function workloadSecondsPerMillion(offeredRps: number): number {
  const next = sweepSource({ offeredRps, durationSeconds: REQUESTS / offeredRps, seed: 3 });
  let requests = 0;
  const seconds = cpuSeconds(() => {
    for (let block = next(); block !== null; block = next()) requests += block.count;
  });
  return (seconds / requests) * 1e6;
}

function engineRow(offeredRps: number): Row {
  const durationSeconds = REQUESTS / offeredRps;
  const block = collectRequests(sweepSource({ offeredRps, durationSeconds, seed: 3 }));
  const naive: Timing[] = [];
  const skip: Timing[] = [];
  const workload: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    workload.push(workloadSecondsPerMillion(offeredRps));
    naive.push(timeEngine(block, 'naive'));
    skip.push(timeEngine(block, 'skip'));
  }
  const millions = (timings: readonly Timing[]): number[] =>
    timings.map(({ requestsPerSecond }) => requestsPerSecond / 1e6);
  const spread = (values: readonly number[]): string =>
    `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`;
  const decisions = (timings: readonly Timing[]): string =>
    (timings[0]?.decisionsPerRequest ?? 0).toFixed(1);
  return [
    offeredRps,
    spread(millions(naive)),
    spread(millions(skip)),
    (median(millions(skip)) / median(millions(naive))).toFixed(1),
    decisions(naive),
    decisions(skip),
    spread(workload),
  ];
}

/** Runs in a process of its own: the high-water mark of memory only ever rises. */
function memoryRow(requests: number): Row {
  const answer = execFileSync(
    process.execPath,
    [import.meta.filename, MEMORY_FLAG, String(requests)],
    { encoding: 'utf8' },
  );
  const [peakMib = '', seconds = ''] = answer.trim().split(' ');
  return [requests.toLocaleString('en'), peakMib, seconds];
}

function printMemoryOf(requests: number): void {
  const seconds = cpuSeconds(() => {
    const durationSeconds = requests / MEMORY_RATE_RPS;
    sweepCounts(MEMORY_RATE_RPS, { ...SWEEP_DEFAULTS, leakFree: true, durationSeconds });
  });
  const peakMib = process.resourceUsage().maxRSS / 1_024;
  process.stdout.write(`${peakMib.toFixed(0)} ${seconds.toFixed(1)}\n`);
}

function printBenchmark(): void {
  printTitle('Simulated requests per second and core', [
    `The preset goodput-sweep without its leak, ${REQUESTS.toLocaleString('en')} requests a run held in ` +
      `memory beforehand, ${ROUNDS} rounds in which workload, naive and skip take turns; median ` +
      '(least–most). Seconds are CPU seconds, user and system.',
  ]);
  printTable(
    [
      'offered /s',
      'naive M/s',
      'skip M/s',
      'skip ÷ naive',
      'steps per request',
      'decisions per request',
      'workload s per million',
    ],
    RATES_RPS.map(engineRow),
  );
  print([
    `Memory: workload generated as it is served at ${MEMORY_RATE_RPS}/s, attainment counted, nothing kept; ` +
      'one process a row.',
  ]);
  printTable(['requests', 'peak MiB', 'CPU s'], MEMORY_REQUESTS.map(memoryRow));
}

const flagAt = process.argv.indexOf(MEMORY_FLAG);
if (flagAt < 0) printBenchmark();
else printMemoryOf(Number(process.argv[flagAt + 1]));
