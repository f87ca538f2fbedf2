/** `--calibration`: what is known of this client's error, from `goodput doctor`. */
import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { printable, ProblemsError } from '../base/index.ts';
import type { ClientCalibration } from '../record/index.ts';
import { parseCalibration } from '../store/index.ts';
import type { CommandContext } from './context.ts';
import { readTextFile } from './files.ts';

/** Where `goodput doctor` writes and `goodput run` looks, beside the runs. */
export const CALIBRATION_FILE = 'goodput-runs/calibration.json';

export function calibrationOption(): Option {
  return new Option(
    '--calibration <file|auto|off>',
    `what goodput doctor measured of this client; auto: ${CALIBRATION_FILE}, where there is one`,
  ).default('auto');
}

/**
 * The calibration that the option names; `null` when none is wanted, and for `auto` where there is
 * none, or none that can be read, which is told.
 *
 * Errors: ProblemsError for a file that is no calibration, EnvironmentError when it cannot be read.
 */
export function readCalibration(
  option: string,
  context: Pick<CommandContext, 'stderr'>,
): ClientCalibration | null {
  if (option === 'off') return null;
  const isAuto = option === 'auto';
  const file = isAuto ? CALIBRATION_FILE : option;
  if (isAuto && !existsSync(file)) return null;
  const parsed = parseCalibration(readTextFile(file), file);
  if ('kind' in parsed) return parsed;
  if (!isAuto) throw new ProblemsError(parsed);
  context.stderr(`note: ${printable(file)} is no calibration that this version can read\n`);
  return null;
}
