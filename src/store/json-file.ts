/** Small JSON documents that are replaced as a whole. */
import { open, readFile, rename } from 'node:fs/promises';
import { readFailure, systemCode, writeFailure } from './file-errors.ts';

/** Writes the document beside its place and moves it there: a reader sees the old or the new. */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    const handle = await open(temporary, 'w');
    try {
      await handle.writeFile(`${JSON.stringify(value, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    throw writeFailure(path, error);
  }
}

/** The document's text; `null` when there is no such file. */
export async function readTextFile(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw readFailure(path, error);
  }
}
