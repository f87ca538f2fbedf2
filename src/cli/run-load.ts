/** Runs a spec with this process's clock, files and signals. Used by `run` and `demo`. */
import { randomBytes } from 'node:crypto';
import { createRealClock } from '../base/index.ts';
import type { RunSpec } from '../config/index.ts';
import { type MeasuredResult, runExperiment } from '../experiment/index.ts';
import type { ClientCalibration } from '../record/index.ts';
import type { CommandContext } from './context.ts';
import { readTextFile } from './files.ts';
import type { Interrupts } from './interrupts.ts';
import type { ProgressLine } from './progress.ts';
import { readKey } from './read-spec.ts';
import { TOOL_VERSION } from './version.ts';

export interface RunLoadOptions {
  readonly dir: string;
  readonly force: boolean;
  readonly interrupts: Interrupts;
  readonly progress: ProgressLine;
  /** What is known of this client's error; left out: nothing. */
  readonly calibration?: ClientCalibration | null;
}

/** `null` when interrupted before the load, which it has told the user. */
export async function runLoad(
  spec: RunSpec,
  context: CommandContext,
  options: RunLoadOptions,
): Promise<MeasuredResult | null> {
  const random = randomBytes(12);
  try {
    const result = await runExperiment(spec, {
      clock: createRealClock(),
      wallNowMs: () => Date.now(),
      readText: readTextFile,
      apiKey: readKey(spec, context),
      runId: random.toString('hex', 0, 6),
      freshSeed: random.readUIntBE(6, 6),
      toolVersion: TOOL_VERSION,
      calibration: options.calibration ?? null,
      dir: options.dir,
      force: options.force,
      stopStarts: options.interrupts.stopStarts,
      cancelAll: options.interrupts.cancelAll,
      notify: options.progress.notify,
    });
    if (result === null) {
      options.progress.end();
      context.stderr('interrupted before the load: nothing was measured, nothing was written\n');
    }
    return result;
  } finally {
    options.progress.end();
  }
}

/** `goodput-runs/2026-11-29T20-26-05-name`: sorted by time, safe on every file system. */
export function defaultRunDir(name: string | null, now: Date): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(':', '-');
  const safeName = (name ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .slice(0, 60);
  return `goodput-runs/${stamp}${safeName === '' ? '' : `-${safeName}`}`;
}
