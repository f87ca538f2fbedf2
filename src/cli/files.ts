/** Files named on the command line. */
import { readFileSync } from 'node:fs';
import { EnvironmentError, printable } from '../base/index.ts';

/** Errors: EnvironmentError `E_FILE_READ` with the system's reason. */
export function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new EnvironmentError({
      code: 'E_FILE_READ',
      message: `cannot read ${printable(path)}`,
      cause,
    });
  }
}
