/** Every benchmark runs and prints its table. What it says is for people: no number is checked. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${REPOSITORY}package.json`, 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
// The check of step costs is no benchmark, needs data of others and is a test itself: vllm-runs.test.ts.
const BENCHMARKS = Object.keys(scripts).filter(
  (name) => name.startsWith('bench:') && name !== 'bench:step-cost',
);

async function runQuick(script: string): Promise<string> {
  const args = ['run', '--silent', script, '--', '--quick'];
  const { stdout, stderr } = await promisify(execFile)('npm', args, { cwd: REPOSITORY });
  expect(stderr).toBe('');
  return stdout;
}

/** The cells of each data row, by table. */
function readTables(markdown: string): string[][][] {
  return [...markdown.matchAll(/^\|.*\|\n\| ---.*\n((?:\|.*\|\n)+)/gm)].map((table) =>
    (table[1] as string)
      .trimEnd()
      .split('\n')
      .map((row) =>
        row
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      ),
  );
}

describe('npm run', () => {
  it.each(BENCHMARKS)('%s prints its table', async (script) => {
    const stdout = await runQuick(script);
    expect(stdout).toMatch(/^## .+\n\nQUICK.*\n\nMachine: .+ load average/);
    const cells = readTables(stdout).flat(2);
    expect(cells.length).toBeGreaterThan(0);
    expect(cells.filter((cell) => /^$|NaN|Infinity|undefined|none|—/.test(cell))).toEqual([]);
    if (script === 'bench:client-against-truth') expectAllJoined(stdout);
  });
});

/** Every event that the client saw is one that the emulator emitted, before it was seen. */
function expectAllJoined(stdout: string): void {
  const [rows = []] = readTables(stdout);
  expect(rows.length).toBeGreaterThan(1);
  for (const [, completed, joined, notJoined, beforeEmission] of rows) {
    expect(Number(completed)).toBeGreaterThan(0);
    expect(Number(joined)).toBeGreaterThan(0);
    expect([notJoined, beforeEmission]).toEqual(['0', '0']);
  }
}
