/** Runs the built command as a user does: a process of its own, in a folder of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface CommandOutcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly child: ChildProcessWithoutNullStreams;
  readonly outcome: Promise<CommandOutcome>;
}

export interface CommandSettings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The Node to run it under; left out: the one that runs the tests. */
  readonly node?: string;
}

/** An empty folder for one test. */
export function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), 'goodput-test-'));
}

/** Starts `goodput ARGS`; nothing of this process's environment reaches it but PATH. */
export function startCommand(
  args: readonly string[],
  settings: CommandSettings = {},
): RunningCommand {
  const child = spawn(settings.node ?? process.execPath, [MAIN, ...args], {
    cwd: settings.cwd ?? emptyFolder(),
    env: { PATH: process.env['PATH'] ?? '', ...settings.env },
  });
  child.stdin.end();
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  const outcome = new Promise<CommandOutcome>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
  return { child, outcome };
}

export function runBuilt(
  args: readonly string[],
  settings: CommandSettings = {},
): Promise<CommandOutcome> {
  return startCommand(args, settings).outcome;
}
