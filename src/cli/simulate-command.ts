/** `goodput simulate`: a serving engine on a clock of arithmetic. */
import { type Command, Option } from 'commander';
import { EXIT_CODES, type ExitCode, ProblemsError, usageProblem } from '../base/index.ts';
import { addRunFlags, addShowOptions, type Register } from './command.ts';
import type { CommandContext } from './context.ts';
import {
  addPresetOptions,
  PRESET_ONLY,
  PRESET_SHARED,
  type PresetOptions,
  simulatePreset,
} from './simulate-preset.ts';
import { addServiceOptions, SIMULATED_FLAGS, simulateSpec } from './simulate-spec.ts';

export const simulateCommand: Register = (program, context, finish) => {
  const command = program
    .command('simulate')
    .description(
      'Serves the load of a run file, or of the same flags, by a simulated engine instead of a server,\n' +
        'and judges every request. Or prints the table of a preset: goodput-sweep is the program of\n' +
        '"Latency SLOs and goodput", bug for bug.',
    )
    .argument('[spec]', 'YAML run file; what its target says of the wire does not matter here');
  addServiceOptions(command.optionsGroup('Simulated service:'));
  addRunFlags(command.optionsGroup('Load and objective, as in goodput run:'), SIMULATED_FLAGS);
  command
    .option('--threads <count>', 'load points simulated at once. Left out: one per core')
    .option('--steps', 'keep what every replica computed when, for goodput report', false)
    .option('--force', 'replace an earlier run in --out', false);
  addPresetOptions(
    command
      .optionsGroup('Preset:')
      .addOption(
        new Option(
          '--preset <name>',
          'a table instead of a spec; --rate, --duration (300s), --seed (3), --token-budget, --max-sequences and --method apply',
        ).choices(['goodput-sweep']),
      ),
  );
  addShowOptions(command.optionsGroup('Output:'))
    .addHelpText('after', EXAMPLES)
    .action(async (spec: string | undefined, _options: unknown, self: Command) => {
      finish(await simulate(spec, self, context));
    });
};

const EXAMPLES = `
Examples:
  goodput simulate --rate 2,4,6,8 --duration 120s --input 512 --output 128 --exact --slo 'ttft<=1s,attainment>=95%'
  goodput simulate spec.yaml --replicas 4 --router least-outstanding --out runs/four
  goodput simulate --preset goodput-sweep`;

function simulate(
  spec: string | undefined,
  command: Command,
  context: CommandContext,
): Promise<ExitCode> {
  const options = command.opts<Partial<PresetOptions>>();
  const given = command.options
    .map((option) => ({ name: option.attributeName(), flag: option.long ?? option.flags }))
    .filter(({ name }) => command.getOptionValueSource(name) === 'cli');
  const misplaced = given.filter(({ name }) =>
    options.preset === undefined
      ? PRESET_ONLY.has(name)
      : !PRESET_ONLY.has(name) && !PRESET_SHARED.has(name),
  );
  const problems = misplaced.map(({ flag }) =>
    usageProblem(
      'E_USAGE_CONFLICT',
      options.preset === undefined ? `${flag} needs --preset` : `${flag} does not go with --preset`,
    ),
  );
  if (options.preset !== undefined && spec !== undefined) {
    problems.push(usageProblem('E_USAGE_CONFLICT', 'a run file does not go with --preset'));
  }
  if (options.preset !== undefined && !['text', 'json'].includes(options.format ?? 'text')) {
    problems.push(usageProblem('E_USAGE_VALUE', 'a preset is written as text or json'));
  }
  if (problems.length > 0) throw new ProblemsError(problems);
  if (options.preset === undefined) return simulateSpec(spec, command, context);
  simulatePreset(command.opts<PresetOptions>(), context);
  return Promise.resolve(EXIT_CODES.fine);
}
