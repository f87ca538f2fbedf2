/** Every fenced command of README and guides is run, in order, against the emulator. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { fencedBlocks } from '../docs/fenced-commands.ts';
import { emptyFolder } from '../support/built-command.ts';
import { REPOSITORY } from '../tidy/rooms.ts';

const GUIDES = readdirSync(join(REPOSITORY, 'docs/guides'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/guides/${name}`);
const run = promisify(execFile);

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator();
});

afterAll(() => emulator.close());

/** A folder as a user has it after `npm install goodput`, with `goodput` and `npx` on the path. */
function userFolder(): { readonly cwd: string; readonly bin: string } {
  const cwd = emptyFolder();
  const bin = join(cwd, '.bin');
  mkdirSync(bin);
  const main = join(REPOSITORY, 'dist/cli/main.js');
  // A missed objective (3) or a measurement spoilt by a busy machine (4) is a result here.
  const results = 'case $? in 0|3|4) exit 0;; *) exit 1;; esac';
  writeFileSync(
    join(bin, 'goodput'),
    `#!/bin/sh\n"${process.execPath}" "${main}" "$@"\n${results}\n`,
  );
  writeFileSync(join(bin, 'npx'), '#!/bin/sh\nexec "$@"\n');
  for (const name of ['goodput', 'npx']) chmodSync(join(bin, name), 0o755);
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(REPOSITORY, join(cwd, 'node_modules/goodput'));
  return { cwd, bin };
}

// Beside one another: they mostly wait for loads to end, and no timing is held against anything.
const PAGES = ['README.md', ...GUIDES];
it.concurrent.each(PAGES)('the commands of %s work', { timeout: 300_000 }, async (path) => {
  const { cwd, bin } = userFolder();
  const blocks = fencedBlocks(readFileSync(join(REPOSITORY, path), 'utf8'));
  const commands = blocks.filter((block) => block.language === 'sh' && block.comment === null);
  expect(commands.length).toBeGreaterThan(0);
  for (const { text, line } of commands) {
    const script = `set -e\n${text.replaceAll('http://127.0.0.1:8000', emulator.url)}\n`;
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    const outcome = await run('bash', ['-c', script], { cwd, env }).catch(
      (error: unknown) => error,
    );
    expect(outcome, `${path}:${line}`).not.toBeInstanceOf(Error);
  }
  for (const { text, line } of blocks.filter((block) => block.language === 'ts')) {
    writeFileSync(join(cwd, 'example.mjs'), text);
    const { stdout } = await run(process.execPath, ['example.mjs'], { cwd });
    expect(stdout, `${path}:${line}`).toContain('Poisson');
  }
});
