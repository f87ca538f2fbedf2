/** `goodput pareto`: throughput against latency over server settings and loads. */
import { type Command, Option } from 'commander';
import { EXIT_CODES, type ExitCode, ProblemsError, usageProblem } from '../base/index.ts';
import { type ParetoAxes, paretoOf, type ParetoResult } from '../planner/index.ts';
import { markdownPareto, terminalPareto } from '../report/index.ts';
import { addRunFlags, addShowOptions, type Register, type ShowOptions } from './command.ts';
import type { CommandContext } from './context.ts';
import { catchInterrupts } from './interrupts.ts';
import { OptionReader } from './option-reader.ts';
import { drawLive } from './pareto-live.ts';
import { drawsOfStoredRuns, isRunFolder } from './pareto-stored.ts';
import { addServiceOptions, type ServiceFlags } from './simulate-spec.ts';

/** What `goodput pareto` was asked, as commander has it. */
export interface ParetoOptions extends ShowOptions, ServiceFlags {
  readonly simulate: boolean;
  readonly restart?: string;
  readonly readyTimeout: string;
  readonly draws: string;
  readonly throughput: 'output' | 'good';
  readonly latency: 'tpot' | 'ttft';
  readonly gpus?: string;
  readonly slo?: string;
  readonly force: boolean;
}

export const paretoCommand: Register = (program, context, finish) => {
  const command = program
    .command('pareto')
    .description(
      'Throughput against latency over server settings and loads: which points no other beats, which\n' +
        'of them meet the objective. Simulated, on a server that a command restarts, or from stored runs.',
    )
    .argument(
      '[targets...]',
      'URL or run file; with --simulate a run file or none; or folders of stored runs',
    );
  addParetoOptions(command);
  addServiceOptions(command.optionsGroup('Simulated service:'));
  const batch = command.options.find((option) => option.long === '--max-sequences');
  if (batch !== undefined) {
    batch.flags = '--max-sequences <list>';
    batch.description = 'most requests in a step, one or several: 8,16,32';
  }
  addRunFlags(command.optionsGroup('Load and objective, as in goodput run:'));
  addShowOptions(command.optionsGroup('Output:'))
    .addHelpText('after', EXAMPLES)
    .action(async (targets: readonly string[], _options: unknown, self: Command) => {
      finish(await pareto(targets, self, context));
    });
};

function addParetoOptions(command: Command): void {
  command
    .optionsGroup('Frontier:')
    .option('--simulate', 'serve the loads by a simulated engine', false)
    .option(
      '--restart <command>',
      'shell command that restarts the server with $GOODPUT_MAX_SEQUENCES, for --max-sequences on a real one',
    )
    .option('--ready-timeout <duration>', 'wait this long for an answer after a restart', '10m')
    .option('--draws <count>', 'fresh draws that every point of the frontier rests on', '3')
    .addOption(
      new Option('--throughput <kind>', 'what is to be high: output tokens/s or good requests/s')
        .choices(['output', 'good'])
        .default('output'),
    )
    .addOption(
      new Option('--latency <kind>', 'what is to be low: TPOT p50 or TTFT p95')
        .choices(['tpot', 'ttft'])
        .default('tpot'),
    )
    .option('--gpus <count>', 'accelerators behind the target, for output tokens/s of one')
    .option('--force', 'replace earlier runs in --out', false);
}

const EXAMPLES = `
Examples:
  goodput pareto --simulate --max-sequences 8,16,32 --concurrency 1,4,8,16,32 --duration 60s \\
    --input 512 --output 128 --exact --slo 'ttft<=1s,tpot<=15ms,attainment>=95%' --out runs/pareto
  goodput pareto http://127.0.0.1:8000 --concurrency 1,4,16,64 --duration 60s --gpus 8
  goodput pareto http://127.0.0.1:8000 --max-sequences 64,128,256 --restart ./restart.sh --rate 2,4,8
  goodput pareto runs/pareto/batch-* --throughput good --latency ttft`;

async function pareto(
  targets: readonly string[],
  command: Command,
  context: CommandContext,
): Promise<ExitCode> {
  const options = command.opts<ParetoOptions>();
  const plan = readPlan(options);
  const stored = !options.simulate && targets.length > 0 && targets.every(isRunFolder);
  if (!stored && targets.length > 1) {
    throw new ProblemsError([
      usageProblem(
        'E_USAGE_CONFLICT',
        'several targets, and not all of them are folders of runs',
        'give one URL or run file, or folders that goodput run wrote',
      ),
    ]);
  }
  if (stored) {
    checkStoredOptions(command);
    const draws = await drawsOfStoredRuns(targets, options.slo, context);
    show(paretoOf(draws, { ...plan, drawsAsked: 1 }), options, [...targets], context);
    return EXIT_CODES.fine;
  }
  const interrupts = catchInterrupts(context);
  try {
    const live = await drawLive(targets[0], command, plan, { context, interrupts });
    if (live.draws.length > 0) show(paretoOf(live.draws, plan), options, [live.dir], context);
    return live.interrupted ? EXIT_CODES.interrupted : EXIT_CODES.fine;
  } finally {
    interrupts.release();
  }
}

/** What both ways of getting draws share. */
export interface FrontierPlan {
  readonly axes: ParetoAxes;
  readonly drawsAsked: number;
  readonly gpus: number | null;
}

function readPlan(options: ParetoOptions): FrontierPlan {
  const reader = new OptionReader();
  const plan: FrontierPlan = {
    axes: {
      gain: options.throughput === 'good' ? 'goodRequests' : 'outputTokens',
      latency: options.latency === 'ttft' ? 'ttftP95' : 'tpotP50',
    },
    drawsAsked: reader.wholeNumber('--draws', options.draws, 1),
    gpus: options.gpus === undefined ? null : reader.wholeNumber('--gpus', options.gpus, 1),
  };
  reader.finish();
  return plan;
}

const STORED_OPTIONS: ReadonlySet<string> = new Set([
  'throughput',
  'latency',
  'gpus',
  'slo',
  'format',
  'explain',
  'quiet',
]);

/** Stored runs are only looked at: what would change how they were made does not apply. */
function checkStoredOptions(command: Command): void {
  const misplaced = command.options.filter(
    (option) =>
      command.getOptionValueSource(option.attributeName()) === 'cli' &&
      !STORED_OPTIONS.has(option.attributeName()),
  );
  if (misplaced.length === 0) return;
  throw new ProblemsError(
    misplaced.map((option) =>
      usageProblem(
        'E_USAGE_CONFLICT',
        `${option.long ?? option.flags} does not go with stored runs`,
      ),
    ),
  );
}

function show(
  result: ParetoResult,
  options: ParetoOptions,
  files: readonly string[],
  context: CommandContext,
): void {
  switch (options.format) {
    case 'json':
      return context.stdout(`${JSON.stringify(result, null, 2)}\n`);
    case 'md':
      return context.stdout(markdownPareto(result));
    case 'text':
      return context.stdout(
        terminalPareto(result, {
          width: context.columns,
          color: context.color,
          explain: options.explain,
          files,
        }),
      );
  }
}
