/** A command of the user's, run by the shell. */
import { spawn } from 'node:child_process';
import { EnvironmentError, printable } from '../base/index.ts';
import type { CommandContext } from './context.ts';

/**
 * Runs `command` with `variables` added to the environment; its output goes to stderr, as progress.
 * Errors: EnvironmentError `E_COMMAND_FAILED` when it cannot be started or does not exit with 0.
 */
export function runShellCommand(
  command: string,
  variables: Readonly<Record<string, string>>,
  context: CommandContext,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, {
      shell: true,
      env: { ...context.env, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const show = (chunk: Buffer): void => {
      for (const line of chunk.toString().split('\n')) {
        if (line.trim() !== '') context.stderr(`  ${printable(line)}\n`);
      }
    };
    child.stdout.on('data', show);
    child.stderr.on('data', show);
    const fail = (how: string, cause?: unknown): void =>
      reject(
        new EnvironmentError({
          code: 'E_COMMAND_FAILED',
          message: `the command ${printable(command)} ${how}`,
          hint: 'run it by hand; it must end with 0, and leave a server running in the background',
          cause,
        }),
      );
    child.on('error', (cause) => fail('cannot be started', cause));
    // Not `close`: a server that it leaves behind may hold the pipes open.
    child.on('exit', (code, signal) => {
      if (code === 0) resolve();
      else fail(`ended with ${code ?? signal}`);
    });
  });
}
