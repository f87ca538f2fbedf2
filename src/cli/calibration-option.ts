/** `--calibration`: what is known of this client's error, from `goodput doctor`. */
import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { printable, ProblemsError } from '../base/index.ts';
import type { RunSpec } from '../config/index.ts';
import { calibrationMisfits } from '../experiment/index.ts';
import type { ClientCalibration } from '../record/index.ts';
import { parseCalibration } from '../store/index.ts';
import type { CommandContext } from './context.ts';
import { readTextFile } from './files.ts';
import { TOOL_VERSION } from './version.ts';

/** Where `goodput doctor` writes and `goodput run` looks, beside the runs. */
export const CALIBRATION_FILE = 'goodput-runs/calibration.json';

export function calibrationOption(): Option {
  return new Option(
    '--calibration <file|auto|off>',
    `what goodput doctor measured of this client; auto: ${CALIBRATION_FILE}, where that fits`,
  ).default('auto');
}

/**
 * The calibration that the option names; `null` when none is wanted. A file named by the user is
 * taken even where it does not fit the run, which then says so; `auto` takes only one that fits, and
 * tells of one that does not.
 *
 * Errors: ProblemsError for a named file that is no calibration, EnvironmentError when it cannot be
 * read.
 */
export function readCalibration(
  option: string,
  spec: RunSpec,
  context: Pick<CommandContext, 'stderr'>,
): ClientCalibration | null {
  if (option === 'off' || (option === 'auto' && !existsSync(CALIBRATION_FILE))) return null;
  const file = option === 'auto' ? CALIBRATION_FILE : option;
  const parsed = parseCalibration(readTextFile(file), file);
  if (option !== 'auto') {
    if ('kind' in parsed) return parsed;
    throw new ProblemsError(parsed);
  }
  const misfits = 'kind' in parsed ? calibrationMisfits(parsed, spec, TOOL_VERSION) : ['format'];
  if ('kind' in parsed && misfits.length === 0) return parsed;
  context.stderr(
    `note: ${printable(file)} is not of this run (other ${misfits.join(', ')}); goodput doctor measures this client\n`,
  );
  return null;
}
