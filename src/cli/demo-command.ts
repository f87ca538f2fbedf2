/** `goodput demo`: the whole idea in under a minute, with nothing but this machine. */
import { EXIT_CODES, type ExitCode, printable, ProblemsError } from '../base/index.ts';
import { type RunSpec, runSpecFromFlags } from '../config/index.ts';
import { simulatedBesideLines, terminalReport } from '../report/index.ts';
import type { Register } from './command.ts';
import type { CommandContext } from './context.ts';
import { besideSimulation } from './demo-simulation.ts';
import { startEmulatorProcess } from './emulator-process.ts';
import { catchInterrupts } from './interrupts.ts';
import { progressLine, type ProgressMode, progressOption } from './progress.ts';
import { configContext } from './read-spec.ts';
import { defaultRunDir, runLoad } from './run-load.ts';

interface DemoOptions {
  readonly quick: boolean;
  readonly quiet: boolean;
  readonly force: boolean;
  readonly progress: ProgressMode;
  readonly out?: string;
}

export const demoCommand: Register = (program, context, finish) => {
  program
    .command('demo')
    .description(
      'Starts the embedded emulator (one replica of a 70B model with continuous batching, sped up),\n' +
        'drives it below, at and above its capacity, and judges every request. Beside the live points\n' +
        'it prints two simulated hours of the same replica. Nothing leaves this machine. Takes under\n' +
        'a minute.',
    )
    .option('--quick', 'shorter load points, for a smoke test', false)
    .option('--quiet', 'no progress on stderr', false)
    .addOption(progressOption())
    .option('--out <folder>', 'folder for the results')
    .option('--force', 'replace an earlier run in --out', false)
    .action(async (options: DemoOptions) => {
      finish(await demo(options, context));
    });
};

/** Step times of the emulated replica are cut to this share: one second serves four. */
const SPEED_SCALE = 0.25;
/** In requests per second of the replica at its real speed: below, at and above its capacity. */
const REPLICA_RATES_RPS = [4, 7, 9, 12];

async function demo(options: DemoOptions, context: CommandContext): Promise<ExitCode> {
  const progress = progressLine(context, options);
  const interrupts = catchInterrupts(context, progress.say);
  const emulator = await startEmulatorProcess(['--speed-scale', String(SPEED_SCALE)]);
  try {
    const spec = demoSpec(emulator.url, options, context);
    const dir = options.out ?? defaultRunDir('demo', new Date());
    const result = await runLoad(spec, context, {
      dir,
      force: options.force,
      interrupts,
      progress,
    });
    if (result === null) return EXIT_CODES.interrupted;
    const { summary, interrupted } = result;
    const page = { width: context.columns, color: context.color, explain: false, files: [] };
    context.stdout(OPENING_TEXT);
    context.stdout(terminalReport(summary, page));
    if (!interrupted) {
      const rows = besideSimulation(summary.points, REPLICA_RATES_RPS);
      context.stdout(`\n${simulatedBesideLines(SIMULATED_TEXT, rows, page.width).join('\n')}\n\n`);
    }
    context.stdout(closingText(dir));
    return interrupted ? EXIT_CODES.interrupted : EXIT_CODES.fine;
  } finally {
    interrupts.release();
    await emulator.stop();
  }
}

/** The mission document's workload and objective, in the emulator's sped-up time. */
function demoSpec(url: string, options: DemoOptions, context: CommandContext): RunSpec {
  const rates = REPLICA_RATES_RPS.map((rps) => rps / SPEED_SCALE);
  const parsed = runSpecFromFlags(
    {
      url,
      name: 'demo',
      rate: rates.join(','),
      duration: options.quick ? '2s' : '10s',
      input: 'lognormal:2000,0.8,max=16000',
      output: 'lognormal:200,0.7,min=2,max=1500',
      exact: true,
      drain: options.quick ? '1s' : '2s',
      slo: `ttft<=${1_000 * SPEED_SCALE}ms, tpot<=${15 * SPEED_SCALE}ms, attainment>=95%`,
    },
    configContext(context),
  );
  if ('problems' in parsed) throw new ProblemsError(parsed.problems);
  return parsed.spec;
}

const OPENING_TEXT =
  `One emulated replica of a 70B model at ${1 / SPEED_SCALE}× speed: 7/s for it is ` +
  `${7 / SPEED_SCALE}/s here, 1 s is ${1_000 * SPEED_SCALE} ms.\n`;

const SIMULATED_TEXT =
  'the same replica at its real speed for two hours of virtual time a load. ' +
  'A live point is one short draw of requests that share a queue: points off, not decimals.';

function closingText(dir: string): string {
  return (
    'The server was busiest where it served the fewest users in time: never size from throughput.\n' +
    `Files: ${printable(dir)} (manifest, schedule, every request, summary)\n` +
    `Next:  goodput report ${printable(dir)} --explain · goodput check http://HOST:8000\n`
  );
}
