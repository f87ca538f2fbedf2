/**
 * Is what the client reports what happened? Every stamp of a rate sweep beside the instant at which
 * the emulator handed that event to its socket, on one clock, in two processes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRealClock } from '../src/base/index.ts';
import { runSpecFromFlags } from '../src/config/index.ts';
import { emittedByRequest, sentEvents } from '../src/doctor/index.ts';
import { runExperiment } from '../src/experiment/index.ts';
import { offsetOf } from '../src/host/index.ts';
import type { RequestRecord } from '../src/record/index.ts';
import { openRun } from '../src/store/index.ts';
import type { PointSummary, QuantileSummary } from '../src/summary/index.ts';
import { print, printTable, printTitle, QUICK, quantilesText, type Row } from './support/report.ts';

const RATES_RPS = QUICK ? [4, 8] : [4, 8, 16, 32];
const DURATION = QUICK ? '1s' : '10s';
const OUTPUT_TOKENS = QUICK ? 16 : 128;
const COMMAND = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** The emulator as a user starts it. `stop` ends it, and so completes its log. */
async function startEmulator(logPath: string) {
  const args = ['emulate', '--port', '0', '--format', 'json', '--emission-log', logPath];
  const child = spawn(process.execPath, [COMMAND, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.on('exit', () => child.kill());
  const exited = once(child, 'exit');
  const failed = exited.then(([code]) => {
    throw new Error(`the emulator ended with ${String(code)}; was the command built?`);
  });
  const ready = once(child.stdout, 'data') as Promise<[Buffer]>;
  const [line] = await Promise.race([ready, failed]);
  const { url } = JSON.parse(line.toString()) as { url: string };
  return {
    url,
    stop: async () => {
      child.kill('SIGINT');
      await exited;
    },
  };
}

async function runSweep(url: string, dir: string, clock: ReturnType<typeof createRealClock>) {
  const parsed = runSpecFromFlags(
    {
      url,
      rate: RATES_RPS.join(','),
      duration: DURATION,
      input: '256',
      output: String(OUTPUT_TOKENS),
      exact: true,
    },
    { env: {}, readFile: (path) => readFileSync(path, 'utf8') },
  );
  if (!('spec' in parsed)) throw new Error(JSON.stringify(parsed.problems));
  const result = await runExperiment(parsed.spec, {
    clock,
    wallNowMs: () => Date.now(),
    readText: (path) => readFileSync(path, 'utf8'),
    apiKey: null,
    runId: 'bench',
    freshSeed: 1,
    toolVersion: 'bench',
    dir,
    force: true,
    stopStarts: new AbortController().signal,
    cancelAll: new AbortController().signal,
    notify: () => {},
  });
  if (result === null) throw new Error('the run was interrupted');
  return result;
}

/** Client and truth over all completed requests of one load point. Nanoseconds. */
class Comparison {
  requests = 0;
  unmatched = 0;
  readonly firstErrorNs: number[] = [];
  readonly eventErrorNs: number[] = [];
  readonly gapErrorNs: number[] = [];
  readonly trueTtftNs: number[] = [];
  readonly trueGapNs: number[] = [];

  add(record: RequestRecord, emittedNs: readonly number[], offsetNs: number): void {
    const { dispatch, timeline } = record;
    if (dispatch.kind !== 'sent' || timeline === null || record.end?.kind !== 'completed') return;
    const atNs = timeline.output.atNs.map((instantNs) => instantNs + offsetNs);
    this.requests += 1;
    this.unmatched += Math.abs(atNs.length - emittedNs.length);
    for (const [index, arrivedNs] of atNs.entries()) {
      const sentNs = emittedNs[index];
      if (sentNs === undefined) break;
      this.eventErrorNs.push(arrivedNs - sentNs);
      if (index === 0) {
        this.firstErrorNs.push(arrivedNs - sentNs);
        this.trueTtftNs.push(sentNs - dispatch.dispatchedNs - offsetNs);
        continue;
      }
      const trueGapNs = sentNs - (emittedNs[index - 1] as number);
      this.trueGapNs.push(trueGapNs);
      this.gapErrorNs.push(Math.abs(arrivedNs - (atNs[index - 1] as number) - trueGapNs));
    }
  }

  errorRow(label: string): Row {
    const us = { unit: 1e3, digits: 0 };
    return [
      label,
      this.requests,
      this.eventErrorNs.length,
      this.unmatched,
      this.eventErrorNs.filter((errorNs) => errorNs < 0).length,
      quantilesText(this.firstErrorNs, { qs: [0.5, 0.99, 1], ...us }),
      quantilesText(this.eventErrorNs, { qs: [0.5, 0.99, 1], ...us }),
      quantilesText(this.gapErrorNs, { qs: [0.5, 0.99], ...us }),
    ];
  }

  /** What the summary tells beside what happened. */
  resultRow(told: PointSummary): Row {
    const ms = { qs: [0.5, 0.99], unit: 1e6, digits: 2 };
    return [
      told.load.label,
      toldText(told.ttftFromDispatchNs),
      quantilesText(this.trueTtftNs, ms),
      toldText(told.chunkGapNs),
      quantilesText(this.trueGapNs, ms),
    ];
  }
}

function toldText({ quantiles }: QuantileSummary): string {
  return [0.5, 0.99]
    .map((q) => quantiles.find((quantile) => quantile.q === q)?.value)
    .map((valueNs) => (valueNs === undefined ? '—' : (valueNs / 1e6).toFixed(2)))
    .join(' / ');
}

/** One comparison for each of the points, in their order. */
async function compare(
  dir: string,
  emissions: ReadonlyMap<string, readonly number[]>,
  points: readonly PointSummary[],
  offsetNs: number,
): Promise<Comparison[]> {
  const run = await openRun(dir);
  const comparisons: Comparison[] = [];
  for (const { index } of points) {
    const comparison = new Comparison();
    for await (const record of run.records(index)) {
      comparison.add(record, emissions.get(record.requestId) ?? [], offsetNs);
    }
    comparisons.push(comparison);
  }
  return comparisons;
}

function printComparisons(comparisons: readonly Comparison[], points: readonly PointSummary[]) {
  printTable(
    [
      'load',
      'completed',
      'events joined',
      'not joined',
      'before emission',
      'TTFT error p50 / p99 / max µs',
      'event error p50 / p99 / max µs',
      'gap difference p50 / p99 µs',
    ],
    points.map((point, at) => (comparisons[at] as Comparison).errorRow(point.load.label)),
  );
  printTable(
    [
      'load',
      'TTFT told p50 / p99 ms',
      'TTFT true p50 / p99 ms',
      'gap told p50 / p99 ms',
      'gap true p50 / p99 ms',
    ],
    points.map((point, at) => (comparisons[at] as Comparison).resultRow(point)),
  );
}

printTitle('The client against the truth', [
  '`goodput emulate` in its own process logs when it hands each event to the socket; the run is ' +
    `what \`goodput run\` does, ${DURATION} a load, 256 tokens in and ${OUTPUT_TOKENS} out, one ` +
    'token an event. Error = stamp of the event at the client − emission; gap difference = ' +
    '|gap at the client − gap at emission|. TTFT is from dispatch; true = emission − dispatch.',
]);
const folder = mkdtempSync(join(tmpdir(), 'goodput-bench-'));
try {
  const logPath = join(folder, 'emissions.ndjson');
  const emulator = await startEmulator(logPath);
  const clock = createRealClock();
  const offset = offsetOf(clock);
  const runDir = join(folder, 'run');
  const result = await runSweep(emulator.url, runDir, clock);
  await emulator.stop();
  if (result === null) throw new Error('the run ended before it had a summary');
  const { summary } = result;
  const driftNs = offsetOf(clock).offsetNs - offset.offsetNs;
  const { points } = summary;
  const emitted = emittedByRequest(sentEvents(readFileSync(logPath, 'utf8')));
  const comparisons = await compare(runDir, emitted, points, offset.offsetNs);
  printComparisons(comparisons, points);
  const reasons = summary.validity.reasons.filter(({ severity }) => severity === 'invalid');
  print([
    `The client's clock is mapped to the machine's to ±${Math.ceil(offset.errorNs)} ns and moved ` +
      `by ${Math.round(driftNs)} ns during the run. The run ` +
      (reasons.length === 0
        ? 'passed its own validity checks.'
        : `called itself invalid: ${reasons.map(({ message }) => message).join('; ')}.`),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
