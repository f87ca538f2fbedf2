/** `goodput emulate`: the embedded server, until Ctrl-C. */
import type { Command } from 'commander';
import { EXIT_CODES, msFromNs } from '../base/index.ts';
import { type Emulator, startEmulator } from '../emulator/index.ts';
import { formatOption, type Register } from './command.ts';
import { addEmulatorFlags, readEmulatorFlags } from './emulator-flags.ts';
import { configContext } from './read-spec.ts';

export const emulateCommand: Register = (program, context, finish) => {
  const command = program
    .command('emulate')
    .description(
      'Serves chat and completions with made-up words at the pace of one replica of a 70B model with\n' +
        'continuous batching, so that overload looks like overload. Stop it with Ctrl-C.',
    );
  addEmulatorFlags(command)
    .addOption(formatOption(': one line with the URL when ready'))
    .action(async (_options: unknown, self: Command) => {
      const emulator = await startEmulator(readEmulatorFlags(self, configContext(context)));
      const isJson = self.opts<{ format: string }>().format === 'json';
      // Before it is announced: whoever reads that may stop it at once.
      const stopped = interrupted(context.onInterrupt);
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
