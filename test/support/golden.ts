/**
 * Golden files: stored output that a test compares with. On a difference the new text is written
 * beside the golden as `NAME.changed`; `UPDATE_GOLDEN=1` rewrites goldens instead.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const FOLDER = fileURLToPath(new URL('../golden/', import.meta.url));

/** Compares `text` with the golden `name`, a path below `test/golden`. */
export function expectGolden(name: string, text: string): void {
  const path = `${FOLDER}${name}`;
  const changed = `${path}.changed`;
  rmSync(changed, { force: true });
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return;
  }
  const stored = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (stored !== text) writeFileSync(changed, text);
  expect(text, `${name} differs; see ${name}.changed, or rerun with UPDATE_GOLDEN=1`).toBe(stored);
}
