/** The command tree: one line a command here, one file a command beside this one. */
import { Command, CommanderError } from 'commander';
import { EXIT_CODES, type ExitCode } from '../base/index.ts';
import { checkCommand } from './check-command.ts';
import type { Register } from './command.ts';
import { type CommandContext, processContext } from './context.ts';
import { demoCommand } from './demo-command.ts';
import { emulateCommand } from './emulate-command.ts';
import { describeFailure } from './failure.ts';
import { initCommand } from './init-command.ts';
import { judgeCommand } from './judge-command.ts';
import { k6Command } from './k6-command.ts';
import { objectivesCommand } from './objectives-command.ts';
import { reportCommand } from './report-command.ts';
import { runCommand } from './run-command.ts';
import { TOOL_VERSION } from './version.ts';

const COMMANDS: readonly Register[] = [
  demoCommand,
  checkCommand,
  runCommand,
  judgeCommand,
  reportCommand,
  objectivesCommand,
  emulateCommand,
  k6Command,
  initCommand,
];

/** Builds the tree; `finish` takes the exit code of the command that ran. */
export function commandTree(context: CommandContext, finish: (code: ExitCode) => void): Command {
  const program = new Command('goodput')
    .description(
      'How many requests per second can a streaming LLM service take while users still get their\n' +
        'answers in time? One record, one judge: load tests, and more to come.',
    )
    .version(TOOL_VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .addHelpCommand('help [command]', 'show help for a command')
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .showSuggestionAfterError(true)
    .showHelpAfterError(false)
    .addHelpText('after', EXIT_CODE_HELP);
  for (const register of COMMANDS) register(program, context, finish);
  for (const command of [program, ...descendants(program)]) {
    command.exitOverride().configureOutput({
      writeOut: context.stdout,
      writeErr: context.stderr,
      outputError: (text, write) =>
        write(`${text.replace(/^error: /, '').trimEnd()} [E_USAGE_UNKNOWN_OPTION]\n`),
      getOutHelpWidth: () => Math.min(context.columns, 100),
      getErrHelpWidth: () => Math.min(context.columns, 100),
    });
  }
  return program;
}

function descendants(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...descendants(child)]);
}

const EXIT_CODE_HELP = `
Exit codes: 0 fine or no target set · 3 objective missed · 4 run invalid · 2 usage · 5 environment
            130 interrupted · 1 internal. See docs/errors.md.`;

/** Runs one command and returns the exit code; never throws and never ends the process itself. */
export async function runCommandLine(
  argv: readonly string[],
  context: CommandContext = processContext(),
): Promise<ExitCode> {
  let code: ExitCode = EXIT_CODES.fine;
  const program = commandTree(context, (finished) => {
    code = finished;
  });
  if (argv.length === 0) {
    context.stdout(program.helpInformation());
    context.stdout(EXIT_CODE_HELP.concat('\n'));
    return EXIT_CODES.fine;
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? EXIT_CODES.fine : EXIT_CODES.usage;
    }
    const failure = describeFailure(error);
    context.stderr(failure.text);
    return failure.exitCode;
  }
}
