/** `goodput emulate`: the embedded server, until Ctrl-C. */
import type { Command } from 'commander';
import { EXIT_CODES, msFromNs, ProblemsError, type Problem, usageProblem } from '../base/index.ts';
import {
  DEFAULT_EMULATOR_OPTIONS,
  type Emulator,
  type EmulatorOptions,
  startEmulator,
} from '../emulator/index.ts';
import { formatOption, type Register } from './command.ts';

const DEFAULTS = DEFAULT_EMULATOR_OPTIONS;

export const emulateCommand: Register = (program, context, finish) => {
  program
    .command('emulate')
    .description(
      'Serves chat and completions with made-up words at the pace of one replica of a 70B model with\n' +
        'continuous batching, so that overload looks like overload. Stop it with Ctrl-C.',
    )
    .option('--host <address>', 'address to listen on', DEFAULTS.host)
    .option('--port <port>', 'port; 0 for any free one', '8000')
    .option('--model <name>', 'model name it serves', DEFAULTS.model)
    .option('--speed-scale <factor>', 'factor on every step time: 0.1 is ten times as fast', '1')
    .option(
      '--token-budget <tokens>',
      'most tokens computed in a step',
      String(DEFAULTS.tokenBudget),
    )
    .option('--max-sequences <count>', 'most requests in a step', String(DEFAULTS.maxSequences))
    .option('--max-waiting <count>', 'most requests waiting; more are refused. Left out: no limit')
    .option(
      '--max-model-tokens <tokens>',
      'longest prompt and answer',
      String(DEFAULTS.maxModelTokens),
    )
    .option(
      '--queue-full <how>',
      'overload (503, no evidence) or quota (429, with evidence)',
      'overload',
    )
    .option('--quota <rps>', 'published limit on requests per second, enforced with 429')
    .option('--tokens-per-event <count>', 'tokens gathered into one streamed event', '1')
    .option('--no-per-event-usage', 'do not honour continuous_usage_stats')
    .option('--no-role', 'do not open a chat stream with a role-only delta')
    .option('--seed <number>', 'seed of answer lengths and words', String(DEFAULTS.seed))
    .option('--emission-log <file>', 'write the true emission time of every event as NDJSON')
    .addOption(formatOption(': one line with the URL when ready'))
    .action(async (_options: unknown, self: Command) => {
      const emulator = await startEmulator(emulatorOptions(self));
      const isJson = self.opts<{ format: string }>().format === 'json';
      context.stdout(
        isJson
          ? `${JSON.stringify({ url: emulator.url, model: emulator.options.model })}\n`
          : `emulating ${emulator.options.model} at ${emulator.url}; stop with Ctrl-C\n`,
      );
      await interrupted(context.onInterrupt);
      const farewell = farewellText(emulator);
      await emulator.close();
      if (!isJson) context.stderr(farewell);
      finish(EXIT_CODES.fine);
    });
};

function interrupted(onInterrupt: (action: (count: number) => void) => () => void): Promise<void> {
  return new Promise((resolve) => {
    const release = onInterrupt(() => {
      release();
      resolve();
    });
  });
}

/** What it did, and how far behind its own plan this machine let it fall. */
function farewellText(emulator: Emulator): string {
  const { completed, cancelled, rejected, promptTokens, outputTokens } = emulator.stats();
  const { p99Ns, maxNs } = emulator.lateness().events;
  const late =
    p99Ns === null || maxNs === null
      ? ''
      : `events left at most ${msFromNs(maxNs).toFixed(1)} ms late, 99 % within ${msFromNs(p99Ns).toFixed(1)} ms\n`;
  return (
    `\nstopped: ${completed} answers completed, ${cancelled} cancelled, ${rejected} rejected; ` +
    `${promptTokens} prompt and ${outputTokens} output tokens\n${late}`
  );
}

/** Errors: ProblemsError with every option that cannot be read. */
function emulatorOptions(command: Command): Partial<EmulatorOptions> {
  const given = command.opts<Record<string, string | boolean | undefined>>();
  const problems: Problem[] = [];
  const number = (name: string, range: NumberRange): number => {
    const text = String(given[name]);
    const value = Number(text);
    const fits = range.whole ? Number.isSafeInteger(value) : Number.isFinite(value);
    if (text.trim() === '' || !fits || value < range.min || value > (range.max ?? Infinity)) {
      const kind = range.whole ? 'a whole number' : 'a number';
      const what =
        range.max === undefined
          ? `${kind} of at least ${range.min}`
          : `${kind} from ${range.min} to ${range.max}`;
      problems.push(usageProblem('E_USAGE_VALUE', `--${kebab(name)} ${text} is not ${what}`));
    }
    return value;
  };
  const queueFull = given['queueFull'];
  if (queueFull !== 'overload' && queueFull !== 'quota') {
    problems.push(usageProblem('E_USAGE_VALUE', '--queue-full is either overload or quota'));
  }
  const logPath = given['emissionLog'];
  const options: Partial<EmulatorOptions> = {
    host: String(given['host']),
    port: number('port', { min: 0, max: 65_535, whole: true }),
    model: String(given['model']),
    speedScale: number('speedScale', { min: 1e-6, whole: false }),
    tokenBudget: number('tokenBudget', { min: 1, whole: true }),
    maxSequences: number('maxSequences', { min: 1, whole: true }),
    maxWaiting:
      given['maxWaiting'] === undefined ? null : number('maxWaiting', { min: 0, whole: true }),
    maxModelTokens: number('maxModelTokens', { min: 2, whole: true }),
    queueFull: queueFull === 'quota' ? 'quota' : 'overload',
    quotaRps: given['quota'] === undefined ? null : number('quota', { min: 1e-6, whole: false }),
    tokensPerEvent: number('tokensPerEvent', { min: 1, whole: true }),
    perEventUsage: given['perEventUsage'] === true,
    includeRole: given['role'] === true,
    seed: number('seed', { min: 0, whole: true }),
    emissionLog: typeof logPath === 'string' ? { path: logPath } : 'none',
  };
  if (problems.length > 0) throw new ProblemsError(problems);
  return options;
}

interface NumberRange {
  readonly min: number;
  readonly max?: number;
  readonly whole: boolean;
}

function kebab(camel: string): string {
  return camel.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
