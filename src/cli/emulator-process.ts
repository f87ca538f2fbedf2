/** The emulator in a process of its own, so that it and the client do not share an event loop. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { EnvironmentError } from '../base/index.ts';

export interface EmulatorProcess {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts `goodput emulate` on a free loopback port; `flags` are its flags. */
export async function startEmulatorProcess(flags: readonly string[]): Promise<EmulatorProcess> {
  const main = fileURLToPath(new URL('main.js', import.meta.url));
  const child = spawn(
    process.execPath,
    [main, 'emulate', '--port', '0', '--format', 'json', ...flags],
    // A group of its own: Ctrl-C must reach the client first, which then stops the emulator.
    { stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  let complaint = '';
  child.stderr.on('data', (text: Buffer) => {
    complaint += text.toString();
  });
  const exited = once(child, 'exit');
  // Whatever ends this process must end the emulator too.
  const killChild = (): void => void child.kill('SIGKILL');
  process.on('exit', killChild);
  const ready = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const first = await Promise.race([ready, exited.then(() => null)]);
  if (first === null) {
    throw new EnvironmentError({
      code: 'E_PORT_IN_USE',
      message: `the emulator did not start: ${complaint.trim()}`,
    });
  }
  const { url } = JSON.parse(first[0]) as { readonly url: string };
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      process.off('exit', killChild);
    },
  };
}
