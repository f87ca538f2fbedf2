/** The runs that lie in one folder. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readFailure } from './file-errors.ts';
import { readTextFile } from './json-file.ts';
import { isOurManifest } from './manifest-shape.ts';
import { MANIFEST_FILE } from './run-files.ts';

/**
 * The run folders directly in `dir`, by name.
 * Errors: EnvironmentError when the folder cannot be read.
 */
export async function listRuns(dir: string): Promise<string[]> {
  let names: string[];
  try {
    names = await readdir(dir);
  } catch (error) {
    throw readFailure(dir, error);
  }
  const runs: string[] = [];
  for (const name of names.toSorted()) {
    const manifest = await readTextFile(join(dir, name, MANIFEST_FILE));
    if (manifest !== null && isOurManifest(manifest)) runs.push(join(dir, name));
  }
  return runs;
}
