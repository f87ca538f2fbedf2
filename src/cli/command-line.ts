/** The command tree: one line a command here, one file a command beside this one. */
import { Command, CommanderError } from 'commander';
import { type ErrorCode, EXIT_CODES, type ExitCode } from '../base/index.ts';
import type { Register } from './command.ts';
import { type CommandContext, processContext } from './context.ts';
import { describeFailure } from './failure.ts';
import { TOOL_VERSION } from './version.ts';

interface CommandEntry {
  readonly summary: string;
  /** Loaded only when it runs: a command that needs no HTTP client should not wait for one. */
  readonly load: () => Promise<Register>;
}

const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  demo: {
    summary: 'see throughput rise while goodput collapses, on this machine',
    load: async () => (await import('./demo-command.ts')).demoCommand,
  },
  check: {
    summary: 'what a server is and can do, pass or fail',
    load: async () => (await import('./check-command.ts')).checkCommand,
  },
  doctor: {
    summary: 'what this machine’s client adds to the figures, and how much load it can take',
    load: async () => (await import('./doctor-command.ts')).doctorCommand,
  },
  run: {
    summary: 'load a streaming endpoint and judge every request',
    load: async () => (await import('./run-command.ts')).runCommand,
  },
  compare: {
    summary:
      'is B worse than A: two targets in turn, two stored runs, or tonight against the last good ones',
    load: async () => (await import('./compare-command.ts')).compareCommand,
  },
  capacity: {
    summary: 'the highest load that meets the objective, and how sure that is',
    load: async () => (await import('./capacity-command.ts')).capacityCommand,
  },
  judge: {
    summary: 'judge a stored run again, without traffic',
    load: async () => (await import('./judge-command.ts')).judgeCommand,
  },
  report: {
    summary: 'render a stored run again',
    load: async () => (await import('./report-command.ts')).reportCommand,
  },
  view: {
    summary: 'browse, compare and follow runs in a local web page; move limits and see',
    load: async () => (await import('./view-command.ts')).viewCommand,
  },
  objectives: {
    summary: 'propose objectives from what a service achieves',
    load: async () => (await import('./objectives-command.ts')).objectivesCommand,
  },
  emulate: {
    summary: 'an OpenAI-compatible server timed by a batching engine',
    load: async () => (await import('./emulate-command.ts')).emulateCommand,
  },
  simulate: {
    summary: 'serve simulated traffic at rising rates, thousands of times faster than real time',
    load: async () => (await import('./simulate-command.ts')).simulateCommand,
  },
  pareto: {
    summary: 'throughput against latency over server settings and loads: what no other point beats',
    load: async () => (await import('./pareto-command.ts')).paretoCommand,
  },
  fit: {
    summary: 'what a device makes of its data sheet, from measured runs',
    load: async () => (await import('./fit-command.ts')).fitCommand,
  },
  budget: {
    summary: 'what of an error budget is spent, what is left, and when it will be gone',
    load: async () => (await import('./budget-command.ts')).budgetCommand,
  },
  gate: {
    summary: 'may this change go out: baseline, error budget, stale capacity',
    load: async () => (await import('./gate-command.ts')).gateCommand,
  },
  rules: {
    summary:
      'Prometheus alerts on an error budget, with tests; or what is wrong with existing ones',
    load: async () => (await import('./rules-command.ts')).rulesCommand,
  },
  k6: {
    summary: 'write a k6 script for the same mixed workload',
    load: async () => (await import('./k6-command.ts')).k6Command,
  },
  init: {
    summary: 'write a run file from flags',
    load: async () => (await import('./init-command.ts')).initCommand,
  },
};

export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

/**
 * Builds the tree with the commands in `whole` in full and the others by name and summary;
 * `finish` takes the exit code of the command that ran.
 */
export async function commandTree(
  context: CommandContext,
  finish: (code: ExitCode) => void,
  whole: readonly string[],
): Promise<Command> {
  const program = new Command('goodput')
    .description(
      'How many requests per second can a streaming LLM service take while users still get their\n' +
        'answers in time? Loads it, judges every request against the objective, and says how sure.',
    )
    .version(TOOL_VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .addHelpCommand('help [command]', 'show help for a command')
    .showSuggestionAfterError(true)
    .addHelpText('after', EXIT_CODE_HELP);
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    if (whole.includes(name)) (await load())(program, context, finish);
    else program.command(name);
    program.commands.at(-1)?.summary(summary);
  }
  for (const command of [program, ...descendants(program)]) {
    command.exitOverride().configureOutput({
      writeOut: context.stdout,
      writeErr: context.stderr,
      outputError: (text, write) => {
        const message = text.replace(/^error: /, '').trimEnd();
        write(`${message} [${usageCode(message)}]\n`);
      },
      getOutHelpWidth: () => Math.min(context.columns, 100),
      getErrHelpWidth: () => Math.min(context.columns, 100),
    });
  }
  return program;
}

/** Which of our codes commander's own complaint is. */
function usageCode(message: string): ErrorCode {
  if (/^missing required argument|argument missing/.test(message)) return 'E_USAGE_MISSING';
  return message.startsWith('unknown ') ? 'E_USAGE_UNKNOWN_OPTION' : 'E_USAGE_VALUE';
}

function descendants(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...descendants(child)]);
}

const EXIT_CODE_HELP = `
Exit codes: 0 fine or no target set · 3 objective missed · 4 run invalid · 2 usage · 5 environment
            6 not proven, with --require-proof · 130 interrupted · 1 internal. See docs/errors.md.`;

/** Runs one command and returns the exit code; never throws and never ends the process itself. */
export async function runCommandLine(
  argv: readonly string[],
  context: CommandContext = processContext(),
): Promise<ExitCode> {
  let code: ExitCode = EXIT_CODES.fine;
  const finish = (finished: ExitCode): void => {
    code = finished;
  };
  try {
    const named = argv.filter((argument) => COMMAND_NAMES.includes(argument));
    const program = await commandTree(context, finish, named);
    await program.parseAsync(argv.length === 0 ? ['--help'] : argv, { from: 'user' });
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
