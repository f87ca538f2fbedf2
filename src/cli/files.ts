/** Files named on the command line. */
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { EnvironmentError, printable } from '../base/index.ts';
import { makeFolder } from '../store/index.ts';

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

/**
 * Replaces the file, or adds to it with the flag `a`, and makes its folder. A text in pieces is
 * written piece by piece.
 *
 * Errors: EnvironmentError `E_FILE_WRITE` with the system's reason.
 */
export function writeTextFile(
  path: string,
  text: string | Iterable<string>,
  { flag = 'w', mode = 0o666 }: { readonly flag?: 'w' | 'a'; readonly mode?: number } = {},
): void {
  try {
    makeFolder(dirname(path));
    const file = openSync(path, flag, mode);
    try {
      for (const piece of typeof text === 'string' ? [text] : text) writeFileSync(file, piece);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    const message = `cannot write ${printable(path)}`;
    throw new EnvironmentError({ code: 'E_FILE_WRITE', message, cause });
  }
}
