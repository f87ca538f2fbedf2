/** Folders made one by one, since Node's recursive mkdir never returns below `/proc`. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from './file-errors.ts';

/**
 * Makes the folder and those above it, where they are not there yet.
 *
 * Errors: the system's own, `EEXIST` where a file is in the way.
 */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  try {
    mkdirSync(path);
  } catch (error) {
    const parent = dirname(path);
    if (systemCode(error) !== 'ENOENT' || parent === path) throw error;
    makeFolder(parent);
    mkdirSync(path);
  }
}
