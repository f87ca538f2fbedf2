/** What every command file gives the tree. */
import { type Command, Option } from 'commander';
import type { ExitCode } from '../base/index.ts';
import { type FlagValues, RUN_FLAGS } from '../config/index.ts';
import type { CommandContext } from './context.ts';

/** Adds one command to the program; its action hands its exit code to `finish`. */
export type Register = (
  program: Command,
  context: CommandContext,
  finish: (code: ExitCode) => void,
) => void;

export type OutputFormat = 'text' | 'json' | 'md';

/** Options of commands that show a summary. */
export interface ShowOptions {
  readonly format: OutputFormat;
  readonly explain: boolean;
  readonly quiet: boolean;
}

/** `--format`, `--explain`, `--quiet`. */
export function addShowOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--format <format>',
        'text for people, json alone on stdout, md for a pull request',
      )
        .choices(['text', 'json', 'md'])
        .default('text'),
    )
    .option('--explain', 'add definitions, every window and every stratum', false)
    .option('--quiet', 'no progress on stderr', false);
}

/** `--require-proof`, of commands that end with a verdict on an objective. */
export function addProofOption(command: Command): Command {
  return command.option(
    '--require-proof',
    'exit 6 unless the verdict is proven: its 95 % interval lies wholly on one side',
    false,
  );
}

/** `--format` of commands that show no summary: text, or JSON as `json` says. */
export function formatOption(json: string): Option {
  return new Option('--format <format>', `text, or json${json}`)
    .choices(['text', 'json'])
    .default('text');
}

/** Of a load test that looks at the engine as well. */
export const SERVER_VIEW_FLAGS: ReadonlySet<string> = new Set([
  '--metrics',
  '--metrics-every',
  '--trace-share',
]);

/** Of loads whose requests wait for one another. */
export const SESSION_FLAGS: ReadonlySet<string> = new Set([
  '--turns',
  '--follow-up',
  '--system',
  '--max-context',
  '--history',
  '--session-rate',
]);

const LOAD_FLAGS: ReadonlySet<string> = new Set(
  RUN_FLAGS.map(({ flag }) => flag).filter((flag) => !SERVER_VIEW_FLAGS.has(flag)),
);

/**
 * The flags that set keys of the run file, from the one table in `config`; left out: all but
 * {@link SERVER_VIEW_FLAGS}.
 */
export function addRunFlags(command: Command, only: ReadonlySet<string> = LOAD_FLAGS): Command {
  for (const { flag, value, form, help } of RUN_FLAGS) {
    // The URL is the argument.
    if (flag === '--url' || !only.has(flag)) continue;
    const repeatable = form === 'header' || form === 'assignment' || form === 'each';
    const option = new Option(value === null ? flag : `${flag} ${value}`, help);
    if (repeatable) option.argParser(collect);
    command.addOption(option);
  }
  return command;
}

function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}

/**
 * The run flags among a command's options, as `config` takes them. Commander fills in `true` for
 * a `--no-…` flag that was not given; only given flags may override a run file.
 */
export function givenRunFlags(command: Command): FlagValues {
  const options = command.opts<FlagValues>();
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => command.getOptionValueSource(name) === 'cli'),
  );
}
