/** Reads the room table of docs/architecture.md and the imports of `src/`. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

export interface Room {
  readonly name: string;
  readonly mayDoIo: boolean;
  readonly mayImport: readonly string[];
}

/** Rows `| \`name\` † | job | imports |` of the table, in order. */
export function readRoomTable(markdown: string): Room[] {
  const rooms: Room[] = [];
  for (const line of markdown.split('\n')) {
    const row = /^\| `([a-z0-9]+)`( †)? \| .* \| (.*) \|$/.exec(line);
    if (row === null) continue;
    const imports = row[3] === '—' ? [] : row[3]!.split(',').map((name) => name.trim());
    rooms.push({ name: row[1]!, mayDoIo: row[2] !== undefined, mayImport: imports });
  }
  return rooms;
}

export interface SourceFile {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly room: string | null;
  readonly text: string;
  readonly imports: readonly string[];
}

const IMPORT =
  /^(?:import|export)\s[^'"]*?from\s+'(\.[^']+)'|^import\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gm;

/** All TypeScript files under `folder`, with their relative imports resolved. */
export function readSources(folder: string): SourceFile[] {
  const root = join(REPOSITORY, folder);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const path = relative(REPOSITORY, file).replaceAll('\\', '/');
      const text = readFileSync(file, 'utf8');
      const imports = [...text.matchAll(IMPORT)].map((match) =>
        relative(
          REPOSITORY,
          resolve(dirname(file), (match[1] ?? match[2] ?? match[3])!),
        ).replaceAll('\\', '/'),
      );
      return { path, room: roomOf(path), text, imports };
    });
}

/** `src/slo/judge.ts` → `slo`; `src/index.ts` → null. */
export function roomOf(path: string): string | null {
  return /^src\/([^/]+)\//.exec(path)?.[1] ?? null;
}
