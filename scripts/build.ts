/**
 * Compiles `src/` to `dist/` and marks the command executable. The old build stands until the new
 * one is complete, so that a command which runs meanwhile finds all its files.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';

const next = `dist.next-${process.pid}`;
const old = `dist.old-${process.pid}`;
try {
  execFileSync('tsc', ['-p', 'tsconfig.build.json', '--outDir', next], {
    stdio: 'inherit',
    shell: false,
  });
  const command = `${next}/cli/main.js`;
  if (existsSync(command)) chmodSync(command, 0o755);
  if (existsSync('dist')) renameSync('dist', old);
  renameSync(next, 'dist');
} finally {
  rmSync(next, { recursive: true, force: true });
  rmSync(old, { recursive: true, force: true });
}
