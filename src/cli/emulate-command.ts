/** `goodput emulate`: the embedded server, until Ctrl-C. */
import type { Command } from 'commander';
import {
  EXIT_CODES,
  msFromNs,
  parseDurationNs,
  ProblemsError,
  usageProblem,
} from '../base/index.ts';
import { type Emulator, startEmulator } from '../emulator/index.ts';
import { formatOption, type Register } from './command.ts';
import { addEmulatorFlags, readEmulatorFlags } from './emulator-flags.ts';
import { configContext } from './read-spec.ts';

export const emulateCommand: Register = (program, context, finish) => {
  const command = program
    .command('emulate')
    .description(
      'Serves OpenAI chat, completions and Responses, Anthropic Messages and Ollama with made-up words\n' +
        'at the pace of one replica of a 70B model with continuous batching, so that overload looks like\n' +
        'overload. Stop it with Ctrl-C.',
    );
  addEmulatorFlags(command)
    .option('--for <duration>', 'stop by itself after so long. Left out: serve until Ctrl-C')
    .addOption(formatOption(': one line with the URL when ready'))
    .action(async (_options: unknown, self: Command) => {
      const { format, for: text } = self.opts<{ format: string; for?: string }>();
      const lifetimeNs = readLifetime(text);
      const emulator = await startEmulator(readEmulatorFlags(self, configContext(context)));
      const isJson = format === 'json';
      // Before it is announced: whoever reads that may stop it at once.
      const stopped = interrupted(context.onInterrupt, lifetimeNs);
      context.stdout(
        isJson
          ? `${JSON.stringify({ url: emulator.url, model: emulator.options.model })}\n`
          : `emulating ${emulator.options.model} at ${emulator.url}; stop with Ctrl-C\n`,
      );
      await stopped;
      const farewell = farewellText(emulator);
      await emulator.close();
      if (!isJson) context.stderr(farewell);
      finish(EXIT_CODES.fine);
    });
};

/** The longest a timer can wait. */
const MOST_MS = 2 ** 31 - 1;

/** Null = until Ctrl-C. Errors: ProblemsError when it is no duration a timer can wait. */
function readLifetime(text: string | undefined): number | null {
  if (text === undefined) return null;
  const ns = parseDurationNs(text);
  if (ns !== null && ns > 0 && msFromNs(ns) <= MOST_MS) return ns;
  throw new ProblemsError([
    usageProblem('E_USAGE_VALUE', `--for ${text} is not a duration like 30s, up to 24d`),
  ]);
}

/** Resolves on Ctrl-C, or after the lifetime. */
function interrupted(
  onInterrupt: (action: (count: number) => void) => () => void,
  lifetimeNs: number | null,
): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      clearTimeout(timer);
      release();
      resolve();
    };
    const release = onInterrupt(stop);
    const timer = lifetimeNs === null ? undefined : setTimeout(stop, msFromNs(lifetimeNs));
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
