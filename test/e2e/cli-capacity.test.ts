/** `goodput capacity` as a user runs it: simulated, against the emulator, stopped and resumed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import { type CapacityReport, capacitySchema } from '../../src/planner/index.ts';
import { emptyFolder, runBuilt, startCommand } from '../support/built-command.ts';

const WORKLOAD = ['--input', '512', '--output', '32', '--exact'];
const SEARCH = ['--effort', 'smoke', '--warmup', '1s', '--window', '4s', '--start', '8', '--quiet'];
const SLO = ['--slo', 'ttft<=1s, tpot<=20ms, attainment>=90%'];
const SIMULATED = ['capacity', '--simulate', ...WORKLOAD, ...SLO, ...SEARCH];

function readCapacity(cwd: string, dir: string): CapacityReport {
  return capacitySchema.parse(JSON.parse(readFileSync(join(cwd, dir, 'capacity.json'), 'utf8')));
}

describe('goodput capacity --simulate', () => {
  it(
    'goes on from where an earlier search ended, to the same windows',
    { timeout: 120_000 },
    async () => {
      const cwd = emptyFolder();
      const whole = await runBuilt([...SIMULATED, '--budget', '48s', '--out', 'whole'], { cwd });
      expect([whole.exitCode, whole.stderr]).toEqual([0, '']);
      await runBuilt([...SIMULATED, '--budget', '16s', '--out', 'part'], { cwd });
      const before = readCapacity(cwd, 'part');
      const args = [...SIMULATED, '--budget', '48s', '--resume', 'part'];
      const resumed = await runBuilt([...args, '--format', 'json'], { cwd });
      expect([resumed.exitCode, resumed.stderr]).toEqual([0, '']);
      const after = capacitySchema.parse(JSON.parse(resumed.stdout));
      expect(after).toEqual(readCapacity(cwd, 'part'));
      const { windows, capacity } = readCapacity(cwd, 'whole');
      expect(after.windows).toEqual(windows);
      expect(after.windows.slice(0, before.windows.length)).toEqual(before.windows);
      expect(after.windows.length).toBeGreaterThan(before.windows.length);
      expect(after.capacity?.rps).toBe(capacity?.rps);
      expect(after.stepTimeBand, 'no interval, so no band either').toBeNull();

      const report = await runBuilt(['report', 'part'], { cwd });
      expect(report.stdout).toMatch(/^CAPACITY about [\d.]+\/s, where 90.0 % of requests are good/);
      for (const line of report.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
      const asRun = await runBuilt(['report', 'part', '--format', 'json'], { cwd });
      const { points } = JSON.parse(asRun.stdout) as { readonly points: readonly unknown[] };
      expect(points.length).toBe(after.windows.length);

      const other = await runBuilt([...args, '--token-budget', '256'], { cwd });
      expect([other.exitCode, other.stderr]).toEqual([
        2,
        expect.stringContaining('simulated service'),
      ]);
    },
  );

  it(
    'says how a capacity it can prove moves with the step times',
    { timeout: 120_000 },
    async () => {
      const cwd = emptyFolder();
      const longer = ['--start', '20', '--window', '8s', '--budget', '240s', '--out', 'longer'];
      const found = await runBuilt([...SIMULATED, ...longer], { cwd });
      expect([found.exitCode, found.stderr]).toEqual([0, '']);
      const { capacity, stepTimeBand } = readCapacity(cwd, 'longer');
      expect(capacity?.lowRps).toBeLessThan(capacity?.rps ?? 0);
      expect(stepTimeBand?.slowerRps).toBeLessThan(stepTimeBand?.fasterRps ?? 0);
    },
  );

  it('judges a demand with its headroom, and proof when it is asked for', async () => {
    const cwd = emptyFolder();
    const args = [...SIMULATED, '--budget', '48s', '--demand', '1', '--burst', '2'];
    const likely = await runBuilt([...args, '--failover', '1/2', '--price-per-hour', '3'], { cwd });
    expect(likely.exitCode).toBe(0);
    expect(likely.stdout).toMatch(/^DEMAND +LIKELY, NOT PROVEN: 1.00\/s on average, 4.00\/s with/m);
    expect(likely.stdout).toContain('bursts of ×2 and 1 of 2 replicas lost');
    const proof = await runBuilt([...args, '--require-proof'], { cwd });
    expect(proof.exitCode).toBe(6);
  });

  it('climbs a ladder of concurrency, and calls it closed', async () => {
    const cwd = emptyFolder();
    const args = [...SIMULATED, '--budget', '40s', '--closed', '--max', '64', '--out', 'closed'];
    const { exitCode, stdout } = await runBuilt(args, { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^CLOSED +\d+ in flight: the largest concurrency tried that attains 90.0 %/,
    );
    expect(readCapacity(cwd, 'closed')).toMatchObject({ capacity: null, headroom: null });
  });

  it.each([
    [['capacity'], 'E_USAGE_MISSING'],
    [['capacity', '--simulate', '--slo', 'ttft<=1s'], 'E_USAGE_MISSING'],
    [['capacity', 'http://127.0.0.1:9', '--kv-blocks', '9'], 'E_USAGE_CONFLICT'],
    [['capacity', 'http://127.0.0.1:9', '--simulate'], 'E_USAGE_CONFLICT'],
    [[...SIMULATED, '--require-proof'], 'E_USAGE_CONFLICT'],
    [[...SIMULATED, '--failover', '2/2'], 'E_USAGE_VALUE'],
    [[...SIMULATED, '--transport', 'compat'], 'E_USAGE_CONFLICT'],
    [[...SIMULATED, '--quota', 'rpm=500'], 'E_UNSUPPORTED'],
    [[...SIMULATED, '--session-rate', '1'], 'E_USAGE_UNKNOWN_OPTION'],
    [[...SIMULATED, '--closed', '--demand', '3'], 'E_USAGE_CONFLICT'],
    [[...SIMULATED, '--resume', 'nowhere'], 'E_RUN_FORMAT'],
  ])('%j is refused with %s', async (args, code) => {
    const { exitCode, stderr } = await runBuilt(args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`[${code}]`)]);
  });
});

describe('goodput capacity URL', () => {
  it('keeps what it measured when interrupted, and goes on', { timeout: 120_000 }, async () => {
    const emulator = await startEmulator();
    try {
      const cwd = emptyFolder();
      writeFileSync(
        join(cwd, 'spec.yaml'),
        `target: { url: ${emulator.url} }
workload: { input: 64, output: 16 }
load: { rate: 4 }
warmup: 500ms
drain: 2s
slo: 'ttft<=2s, attainment>=95%'
`,
      );
      const args = ['capacity', 'spec.yaml', '--effort', 'smoke', '--window', '2s', '--max', '16'];
      const first = [...args, '--budget', '12s', '--out', 'r', '--progress', 'json'];
      const { child, outcome } = startCommand(first, { cwd });
      child.stderr.on('data', (text: Buffer) => {
        // In the middle of the window after the first.
        if (/"progress".*Poisson 8\/s/.test(text.toString())) child.kill('SIGINT');
      });
      const stopped = await outcome;
      expect(stopped.exitCode).toBe(130);
      expect(stopped.stdout).toMatch(/^CAPACITY not found: interrupted/);
      expect(stopped.stderr).toContain('effort smoke: windows of 2s');
      const before = readCapacity(cwd, 'r');
      expect(before.windows.map(({ ending }) => ending)).toEqual([
        expect.any(String),
        'interrupted',
      ]);

      const resumed = await runBuilt([...args, '--budget', '12s', '--resume', 'r'], { cwd });
      const after = readCapacity(cwd, 'r');
      expect(resumed.stderr).toContain('going on after 2 stored windows');
      expect(after.windows.slice(0, 2)).toEqual(before.windows);
      // A busy machine may make windows that cannot be trusted.
      const untrusted = after.end === 'unusable';
      expect(resumed.exitCode).toBe(untrusted ? 4 : 0);
      if (!untrusted && after.end === 'metEverywhere') {
        expect(after.windows.at(-1)?.level).toBe(16);
      }
    } finally {
      await emulator.close();
    }
  });
});
