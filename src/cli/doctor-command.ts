/** `goodput doctor`: what this machine's client adds to the truth, before a load test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  createRealClock,
  EXIT_CODES,
  type ExitCode,
  NS_PER_SECOND,
  ProblemsError,
  secondsFromNs,
  usageProblem,
} from '../base/index.ts';
import type { RunSpec } from '../config/index.ts';
import {
  findingsOf,
  type LoadWish,
  offeredBy,
  type OfferedLoad,
  type PlannedLoad,
  plannedLoad,
  verdictOf,
} from '../doctor/index.ts';
import { type ClientMeasurement, measureClient, planRun } from '../experiment/index.ts';
import { checkDescriptors, machineLimits } from '../host/index.ts';
import { terminalDoctor } from '../report/index.ts';
import { tightestStampLimitNs } from '../summary/index.ts';
import { CALIBRATION_FILE } from './calibration-option.ts';
import { addRunFlags, formatOption, givenRunFlags, type Register } from './command.ts';
import type { CommandContext } from './context.ts';
import { startEmulatorProcess } from './emulator-process.ts';
import { readTextFile, writeTextFile } from './files.ts';
import { catchInterrupts, type Interrupts } from './interrupts.ts';
import { OptionReader } from './option-reader.ts';
import { isUrl, readSpec } from './read-spec.ts';
import { TOOL_VERSION } from './version.ts';

interface DoctorOptions {
  readonly streams?: string;
  readonly tokenRate: string;
  readonly burst: boolean;
  readonly duration: string;
  readonly out: string;
  readonly format: 'text' | 'json';
  readonly quiet: boolean;
}

/** What of a run shapes its load on the client. */
const DOCTOR_FLAGS: ReadonlySet<string> = new Set([
  '--api',
  '--transport',
  '--input',
  '--output',
  '--rate',
  '--concurrency',
  '--users',
  '--think',
  '--slo',
]);
const LOAD_FLAGS = ['rate', 'concurrency', 'users'] as const;
/** Of a doctor that was told nothing. */
const DEFAULT_STREAMS = 256;

export const doctorCommand: Register = (program, context, finish) => {
  const command = program
    .command('doctor')
    .description(
      'Measures what this client adds to every figure at the planned load: how late it stamps, how late\n' +
        'it starts, what a chunk costs it and how much room is left. Against the embedded emulator, which\n' +
        'logs when it really sent; nothing leaves this machine, and TARGET hears nothing.\n' +
        'Exits 4 when the planned load cannot be measured from here.',
    )
    .argument('[target]', 'run file, or URL with run flags: whose load to try');
  addRunFlags(command, DOCTOR_FLAGS)
    .option(
      '--streams <count>',
      `answers read at once. Left out: what the run would have, else ${DEFAULT_STREAMS}`,
    )
    .option('--token-rate <tokens>', 'tokens per second of each stream', '40')
    .option('--burst', 'all streams send at the same instant, as one engine step does', false)
    .option('--duration <duration>', 'how long to measure', '10s')
    .option('--out <file>', 'where to keep the calibration', CALIBRATION_FILE)
    .option('--quiet', 'no progress on stderr', false)
    .addOption(formatOption(': the calibration, the checks and the verdict'))
    .addHelpText('after', EXAMPLES)
    .action(async (target: string | undefined, _options: unknown, self: Command) => {
      finish(await doctor(target, self, context));
    });
};

const EXAMPLES = `
Examples:
  goodput doctor
  goodput doctor run.yaml --token-rate 60
  goodput doctor --rate 20 --output 512 --burst --slo 'ttft<=300ms, tpot<=40ms'
  goodput doctor --streams 1024 --token-rate 40 --duration 30s`;

async function doctor(
  target: string | undefined,
  command: Command,
  context: CommandContext,
): Promise<ExitCode> {
  const options = command.opts<DoctorOptions>();
  const { wish, measureNs } = readWish(options);
  const { spec, offered } = offeredLoad(target, command, context);
  const load = plannedLoad(offered, wish);
  requireComparable(load, measureNs);
  checkDescriptors(load.streamCount);
  const clock = createRealClock();
  const machine = await machineLimits(clock);
  const interrupts = catchInterrupts(context, (text) => context.stderr(text));
  const dir = mkdtempSync(join(tmpdir(), 'goodput-doctor-'));
  let measured: ClientMeasurement | null;
  try {
    if (!options.quiet) context.stderr(startText(load, options.duration));
    measured = await measureClient(spec, load, measureNs, {
      clock,
      wallNowMs: () => Date.now(),
      readText: readTextFile,
      writeText: writeTextFile,
      freshSeed: randomBytes(6).readUIntBE(0, 6),
      toolVersion: TOOL_VERSION,
      startServer: startEmulatorProcess,
      dir,
      stopStarts: interrupts.stopStarts,
      cancelAll: interrupts.cancelAll,
      onProgress: () => {},
    });
  } finally {
    interrupts.release();
    rmSync(dir, { recursive: true, force: true });
  }
  if (measured === null) return interrupted(interrupts, context);
  const { calibration } = measured;
  const findings = findingsOf({
    ...measured,
    load,
    machine,
    tightestLimitNs: spec.objective === null ? null : tightestStampLimitNs(spec.objective),
  });
  const verdict = verdictOf(findings);
  writeTextFile(options.out, `${JSON.stringify(calibration, null, 2)}\n`);
  context.stdout(
    options.format === 'json'
      ? `${JSON.stringify({ verdict, findings, calibration, machine }, null, 2)}\n`
      : terminalDoctor(
          { load, calibration, findings, file: options.out },
          { width: context.columns, color: context.color },
        ),
  );
  return verdict === 'fail' ? EXIT_CODES.invalidRun : EXIT_CODES.fine;
}

function readWish({ streams, tokenRate, burst, duration }: DoctorOptions): {
  readonly wish: LoadWish;
  readonly measureNs: number;
} {
  const reader = new OptionReader();
  const wish: LoadWish = {
    streams: streams === undefined ? null : reader.wholeNumber('--streams', streams, 1),
    tokensPerSecond: reader.positiveNumber('--token-rate', tokenRate),
    burst,
  };
  const measureNs = reader.durationNs('--duration', duration, 'above0');
  if (measureNs > 0 && measureNs < NS_PER_SECOND) {
    const message = `--duration ${duration} is too short to tell what a chunk costs`;
    reader.add(usageProblem('E_USAGE_VALUE', message, 'write 1s or more'));
  }
  reader.finish();
  return { wish, measureNs };
}

/** Stamps that are compared in memory, each with a line of the emulator's log. */
const CHUNKS_MAX = 4_000_000;

/** Errors: ProblemsError for more chunks than can be compared. */
function requireComparable({ chunksRps }: PlannedLoad, measureNs: number): void {
  const chunks = chunksRps * secondsFromNs(measureNs);
  if (chunks <= CHUNKS_MAX) return;
  const seconds = Math.floor(CHUNKS_MAX / chunksRps);
  const message = `${Math.round(chunks)} chunks are more than the ${CHUNKS_MAX} that are compared in memory`;
  const hint =
    seconds >= 1
      ? `measure for a shorter time: --duration ${seconds}s`
      : 'plan fewer streams, or slower ones';
  throw new ProblemsError([usageProblem('E_USAGE_VALUE', message, hint)]);
}

/** The heaviest load point of the run that is planned; of none, streams to be told. */
function offeredLoad(
  target: string | undefined,
  command: Command,
  context: CommandContext,
): { readonly spec: RunSpec; readonly offered: OfferedLoad } {
  const given = givenRunFlags(command);
  const { duration: _duration, out: _out, ...flags } = given;
  const isFile = target !== undefined && !isUrl(target);
  const hasLoad = isFile || LOAD_FLAGS.some((flag) => flags[flag] !== undefined);
  const asked = readSpec(
    isFile ? target : (target ?? LOOPBACK_URL),
    hasLoad ? flags : { ...flags, rate: '1' },
    context,
  );
  requireCalibratable(asked);
  const url = /^https:/i.test(asked.target.url) ? SECURE_LOOPBACK_URL : LOOPBACK_URL;
  const spec = { ...asked, target: { ...asked.target, url } };
  const plan = planRun(spec, { readText: readTextFile, freshSeed: 0 });
  const point = plan.points.at(-1);
  if (point === undefined) throw new Error('a run has at least one load point');
  const { kind, level } = point.load;
  const planned = offeredBy(point.schedule, kind === 'users' ? level : null);
  const offered = kind === 'rate' ? { ...planned, startsRps: level } : planned;
  return {
    spec,
    offered: hasLoad ? offered : { ...offered, startsRps: null, streams: DEFAULT_STREAMS },
  };
}

const LOOPBACK_URL = 'http://127.0.0.1';
const SECURE_LOOPBACK_URL = 'https://127.0.0.1';

/** Errors: ProblemsError for what the emulator cannot stand in for. */
function requireCalibratable({ target }: RunSpec): void {
  const reader = new OptionReader();
  if (!target.stream) {
    reader.add(usageProblem('E_UNSUPPORTED', 'whole answers have one stamp: nothing to calibrate'));
  }
  if (target.http2) {
    const message = 'the emulator does not speak HTTP/2, so its client is not calibrated';
    reader.add(usageProblem('E_UNSUPPORTED', message, 'run with --calibration off'));
  }
  reader.finish();
}

function startText({ streamCount, tokensPerSecond }: PlannedLoad, duration: string): string {
  return `trying ${streamCount} streams × ${tokensPerSecond}/s on this machine for ${duration}\n`;
}

function interrupted({ stopStarts }: Interrupts, context: CommandContext): ExitCode {
  if (stopStarts.aborted) context.stderr('interrupted: nothing was measured or written\n');
  return EXIT_CODES.interrupted;
}
