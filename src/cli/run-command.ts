/** `goodput run`: one load, a rate sweep or a concurrency sweep against a real endpoint. */
import type { Command } from 'commander';
import { EXIT_CODES, type ExitCode, ProblemsError, usageProblem } from '../base/index.ts';
import { runSpecYaml } from '../config/index.ts';
import { isSweep, runExitCode } from '../experiment/index.ts';
import { calibrationOption, readCalibration } from './calibration-option.ts';
import {
  addProofOption,
  addRunFlags,
  addShowOptions,
  givenRunFlags,
  SERVER_VIEW_FLAGS,
  type Register,
  type ShowOptions,
} from './command.ts';
import type { CommandContext } from './context.ts';
import { catchInterrupts } from './interrupts.ts';
import { progressLine, type ProgressMode, progressOption } from './progress.ts';
import { readSpec } from './read-spec.ts';
import { defaultRunDir, runLoad } from './run-load.ts';
import { showSummary } from './show-summary.ts';

interface RunOptions extends ShowOptions {
  readonly printSpec: boolean;
  readonly force: boolean;
  readonly requireProof: boolean;
  readonly progress: ProgressMode;
  readonly calibration: string;
}

export const runCommand: Register = (program, context, finish) => {
  const command = program
    .command('run')
    .description(
      'Loads a streaming endpoint at one rate, several (a sweep), or at fixed concurrency, and judges\n' +
        'every request against the objective. TARGET is a URL or a run file; flags override the file.',
    )
    .argument('[target]', 'URL of the server, or a YAML run file');
  addRunFlags(addRunFlags(command), SERVER_VIEW_FLAGS);
  addProofOption(addShowOptions(command))
    .addOption(progressOption())
    .addOption(calibrationOption())
    .option('--print-spec', 'write the experiment as YAML to stdout and send nothing', false)
    .option('--force', 'replace an earlier run in --out', false)
    .addHelpText('after', EXAMPLES)
    .action(async (target: string | undefined, _options: unknown, self: Command) => {
      finish(await run(target, self, context));
    });
};

const EXAMPLES = `
Examples:
  goodput run http://127.0.0.1:8000 --rate 4 --duration 60s --slo 'ttft<=500ms,tpot<=40ms,attainment>=95%'
  goodput run http://127.0.0.1:8000 --rate 2,4,8 --input lognormal:2000,0.8,max=16000 --output 256
  goodput run http://127.0.0.1:8000 --concurrency 1,4,16 --duration 30s
  goodput run http://127.0.0.1:8000 --rate 4 --metrics auto --explain
  goodput run spec.yaml --out runs/baseline`;

async function run(
  target: string | undefined,
  command: Command,
  context: CommandContext,
): Promise<ExitCode> {
  const options = command.opts<RunOptions>();
  const spec = readSpec(target, givenRunFlags(command), context);
  if (options.printSpec) {
    context.stdout(runSpecYaml(spec));
    return EXIT_CODES.fine;
  }
  if (options.requireProof && isSweep(spec)) {
    throw new ProblemsError([
      usageProblem(
        'E_USAGE_CONFLICT',
        '--require-proof asks for one load, and a sweep explores several',
        'run one rate, or find the largest with goodput capacity',
      ),
    ]);
  }
  const calibration = readCalibration(options.calibration, spec, context);
  const dir = spec.out ?? defaultRunDir(spec.name, new Date());
  const progress = progressLine(context, options);
  const interrupts = catchInterrupts(context, progress.say);
  try {
    const result = await runLoad(spec, context, {
      dir,
      force: options.force,
      interrupts,
      progress,
      calibration,
    });
    if (result === null) return EXIT_CODES.interrupted;
    const { summary, interrupted } = result;
    showSummary(context, result, { ...options, files: [dir] });
    return runExitCode({
      summary,
      interrupted,
      sweep: isSweep(spec),
      requireProof: options.requireProof,
    });
  } finally {
    interrupts.release();
  }
}
