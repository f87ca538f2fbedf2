/** Compiles `src/` to `dist/` and marks the command executable. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit', shell: false });
const command = 'dist/cli/main.js';
if (existsSync(command)) chmodSync(command, 0o755);
