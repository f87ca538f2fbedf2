/** Where the built command's output goes: closed pipes, full disks, narrow screens. */
import { spawn } from 'node:child_process';
import { existsSync, openSync, closeSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Summary } from '../../src/summary/index.ts';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { emptyFolder, runBuilt, startCommand } from '../support/built-command.ts';

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({ speedScale: 0.2 });
});

afterAll(() => emulator.close());

describe('output that nobody reads to its end', () => {
  it.each([['--help'], ['run', '--help']])('a closed pipe is no crash: %j', async (...args) => {
    const { child, outcome } = startCommand(args);
    child.stdout.destroy();
    const { exitCode, stderr } = await outcome;
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
  });

  it.skipIf(!existsSync('/dev/full'))('a full disk is said, with exit code 5', async () => {
    const full = openSync('/dev/full', 'w');
    const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
    const child = spawn(process.execPath, [main, '--help'], { stdio: ['ignore', full, 'pipe'] });
    let stderr = '';
    child.stderr?.on('data', (text: Buffer) => (stderr += text.toString()));
    const exitCode = await new Promise((resolve) => {
      child.on('close', resolve);
    });
    closeSync(full);
    expect(stderr).toMatch(/^cannot write the output .*\[E_FILE_WRITE\]\n$/);
    expect(exitCode).toBe(5);
  });
});

describe('what commander complains of', () => {
  it.each([
    [['check'], 'E_USAGE_MISSING'],
    [['check', 'http://127.0.0.1:1', '--model'], 'E_USAGE_MISSING'],
    [['check', 'http://127.0.0.1:1', '--format', 'xml'], 'E_USAGE_VALUE'],
    [['emulate', '--format', 'xml'], 'E_USAGE_VALUE'],
    [['objectives', 'suggest', '.', '--format', 'xml'], 'E_USAGE_VALUE'],
    [['emulate', '--port', '65536'], 'from 0 to 65535'],
    [['check', 'http://127.0.0.1:1', '--rate', '4'], 'E_USAGE_UNKNOWN_OPTION'],
  ])('%j: %s', async (args, words) => {
    const { exitCode, stderr } = await runBuilt(args);
    expect(stderr).toContain(words);
    expect(exitCode).toBe(2);
  });
});

describe('a closed loop of users', () => {
  it('keeps a sound ledger although users do not take their turns in order', async () => {
    const cwd = emptyFolder();
    const load = ['--users', '3', '--think', '200ms', '--duration', '2s'];
    const size = ['--input', '16', '--output', '4', '--out', 'r'];
    const { exitCode } = await runBuilt(['run', emulator.url, ...load, ...size], { cwd });
    // On a busy machine the client may rightly not trust its own stamps; the ledger is sound.
    expect([0, 4]).toContain(exitCode);
    const text = readFileSync(join(cwd, 'r', 'summary.json'), 'utf8');
    const summary = JSON.parse(text) as Summary;
    const checks = summary.validity.reasons.map(({ check }) => check);
    expect(checks).not.toContain('ledger');
    const { ledger } = summary.points[0]!;
    expect(ledger.completed).toBe(ledger.scheduled);
    const records = readFileSync(join(cwd, 'r', 'records-0.ndjson'), 'utf8')
      .trim()
      .split('\n');
    expect(records).toHaveLength(ledger.scheduled + ledger.notReached);
    expect(ledger.notReached).toBeLessThan(ledger.scheduled);

    // What is no terminal is as wide as COLUMNS says.
    const env = { COLUMNS: '60' };
    const narrow = await runBuilt(['report', 'r'], { cwd, env });
    const wide = await runBuilt(['report', 'r'], { cwd });
    const widest = (page: string): number => Math.max(...page.split('\n').map((l) => l.length));
    expect(widest(narrow.stdout)).toBeLessThan(widest(wide.stdout));
  });
});

describe('goodput emulate', () => {
  it('says in words what it did when it is stopped', async () => {
    const { child, outcome } = startCommand(['emulate', '--port', '0']);
    await new Promise((resolve) => {
      child.stdout.once('data', resolve);
    });
    child.kill('SIGINT');
    const { exitCode, stderr } = await outcome;
    expect(stderr).toContain('stopped: 0 answers completed, 0 cancelled, 0 rejected');
    expect(exitCode).toBe(0);
  });
});
