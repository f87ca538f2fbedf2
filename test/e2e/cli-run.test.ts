/** The built command against the emulator: the main jobs, and what is on disk afterwards. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import type { Manifest, RequestRecord } from '../../src/record/index.ts';
import { type Summary, summaryJsonSchema } from '../../src/summary/index.ts';
import { emptyFolder, runBuilt, startCommand } from '../support/built-command.ts';

const SLO = 'ttft<=5s, tpot<=2s, attainment>=95%';
const SMALL = ['--input', '64', '--output', '16', '--exact'];

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({ speedScale: 0.2 });
});

afterAll(() => emulator.close());

function readSummary(dir: string): Summary {
  return JSON.parse(readFileSync(join(dir, 'summary.json'), 'utf8')) as Summary;
}

function readRecords(dir: string, point = 0): RequestRecord[] {
  return readFileSync(join(dir, `records-${point}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RequestRecord);
}

describe('goodput check', () => {
  it('says what the server can do', async () => {
    const { exitCode, stdout } = await runBuilt(['check', emulator.url]);
    expect(stdout).toMatch(/^PASS/);
    expect(stdout).toContain('emulated-70b');
    expect(stdout).toContain('token-aligned');
    expect(stdout).toContain('--exact works');
    expect(exitCode).toBe(0);
  });

  it('gives the same as JSON', async () => {
    const { stdout } = await runBuilt(['check', emulator.url, '--format', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ passed: true, preflight: { failure: null } });
  });
});

describe('goodput run', () => {
  it('judges a load and leaves a folder that says everything', async () => {
    const cwd = emptyFolder();
    const { exitCode, stdout, stderr } = await runBuilt(
      [
        'run',
        emulator.url,
        '--rate',
        '8',
        '--duration',
        '3s',
        ...SMALL,
        '--slo',
        SLO,
        '--out',
        'r',
      ],
      { cwd },
    );
    expect(stderr).toContain('plan: ');
    expect(stdout.split('\n').length).toBeLessThanOrEqual(21);
    expect(exitCode).toBe(0);
    const dir = join(cwd, 'r');
    expect(readdirSync(dir).toSorted()).toEqual([
      'manifest.json',
      'records-0.ndjson',
      'schedule.ndjson',
      'summary.json',
    ]);
    const records = readRecords(dir);
    const summary = readSummary(dir);
    const [point] = summary.points;
    expect(point?.ledger.scheduled).toBe(records.length);
    expect(point?.ledger.completed).toBe(records.length);
    expect(records.every(({ timeline }) => timeline?.usage?.completionTokens === 16)).toBe(true);
    // A busy machine may hand over a whole short answer in one read; that one has no pace.
    expect(point?.tpotBasis).toMatchObject({ observed: expect.any(Number), estimated: 0 });
    expect(point?.tpotBasis.observed).toBeGreaterThan(0);
    const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as Manifest;
    expect(manifest.facts.model).toEqual({ from: 'measured', value: 'emulated-70b' });
    expect(manifest.facts.gpu).toEqual({ from: 'unknown' });
    expect(manifest.points[0]?.generator?.connectionCount).toBeGreaterThan(0);
  });

  it('prints JSON alone on stdout, valid against the published schema', async () => {
    const { stdout } = await runBuilt(
      ['run', emulator.url, '--rate', '10', '--duration', '1s', ...SMALL, '--format', 'json'],
      {},
    );
    const summary: unknown = JSON.parse(stdout);
    const validate = new Ajv({ strict: false }).compile(summaryJsonSchema() as object);
    expect(validate(summary), JSON.stringify(validate.errors)).toBe(true);
  });

  it('sweeps rates in order of load and exits 0 whatever it finds', async () => {
    const cwd = emptyFolder();
    const { exitCode } = await runBuilt(
      [
        'run',
        emulator.url,
        '--rate',
        '12,4',
        '--duration',
        '1s',
        ...SMALL,
        '--slo',
        'ttft<=1ms, attainment>=95%',
        '--out',
        'r',
      ],
      { cwd },
    );
    const summary = readSummary(join(cwd, 'r'));
    expect(summary.points.map(({ load }) => load.level)).toEqual([4, 12]);
    expect(summary.verdict).toBe('missed');
    expect(exitCode).toBe(0);
  });

  it('keeps fixed concurrency, labelled closed', async () => {
    const cwd = emptyFolder();
    await runBuilt(
      ['run', emulator.url, '--concurrency', '3', '--duration', '2s', ...SMALL, '--out', 'r'],
      { cwd },
    );
    const [point] = readSummary(join(cwd, 'r')).points;
    expect(point?.load).toMatchObject({ kind: 'concurrency', closedLoop: true });
    expect(point?.rates.offeredRps).toBeNull();
    const records = readRecords(join(cwd, 'r'));
    expect(Math.max(...records.map((record) => record.inFlightAtDispatch ?? 0))).toBe(3);
    expect(records.every(({ dispatch }) => dispatch.kind === 'sent')).toBe(true);
  });

  it('misses with exit code 3', async () => {
    // Far over the limit, so that no lateness of a busy machine could make it a hit.
    const slow = await startEmulator({ speedScale: 20 });
    const load = ['--rate', '10', '--duration', '2s', ...SMALL];
    const slo = ['--slo', 'ttft<=1ms, attainment>=95%'];
    const { exitCode, stdout } = await runBuilt(['run', slow.url, ...load, ...slo]);
    await slow.close();
    expect(stdout).toMatch(/^MISSED/);
    expect(exitCode).toBe(3);
  });

  it('has no TTFT without streaming, and says why', async () => {
    const cwd = emptyFolder();
    await runBuilt(
      [
        'run',
        emulator.url,
        '--rate',
        '8',
        '--duration',
        '1s',
        ...SMALL,
        '--no-stream',
        '--out',
        'r',
      ],
      { cwd },
    );
    const [point] = readSummary(join(cwd, 'r')).points;
    expect(point?.ttftFromPlannedNs.n).toBe(0);
    expect(point?.completionNs.n).toBe(point?.ledger.completed);
    expect(point?.ledger.completed).toBeGreaterThan(0);
  });

  it('completions work like chat', async () => {
    const { exitCode } = await runBuilt([
      'run',
      emulator.url,
      '--api',
      'completions',
      '--rate',
      '40',
      '--duration',
      '2s',
      ...SMALL,
      '--slo',
      SLO,
    ]);
    expect(exitCode).toBe(0);
  });
});

describe('goodput judge and report', () => {
  it('judge again without traffic, and never change the run', async () => {
    const cwd = emptyFolder();
    await runBuilt(
      [
        'run',
        emulator.url,
        '--rate',
        '40',
        '--duration',
        '2s',
        ...SMALL,
        '--slo',
        SLO,
        '--out',
        'r',
      ],
      { cwd },
    );
    const before = readFileSync(join(cwd, 'r', 'summary.json'), 'utf8');
    const served = emulator.stats();
    const strict = await runBuilt(['judge', 'r', '--slo', 'ttft<=1ms, attainment>=95%'], { cwd });
    // On a busy machine the client's own lateness reaches as far as the limit.
    expect([3, 4]).toContain(strict.exitCode);
    const same = await runBuilt(['judge', 'r', '--slo', SLO, '--format', 'json'], { cwd });
    expect(JSON.parse(same.stdout), 'answers may still end at the length that the run set').toEqual(
      JSON.parse(before),
    );
    const again = await runBuilt(['judge', 'r', '--format', 'json'], { cwd });
    expect(again.exitCode).toBe(0);
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse(before));
    const report = await runBuilt(['report', 'r', '--format', 'md'], { cwd });
    expect(report.stdout).toMatch(/^# /);
    expect(report.exitCode).toBe(0);
    const suggested = await runBuilt(['objectives', 'suggest', 'r'], { cwd });
    expect(suggested.stdout).toMatch(/^ttft.*<=.*attainment>=95%/);
    expect(readFileSync(join(cwd, 'r', 'summary.json'), 'utf8')).toBe(before);
    expect(emulator.stats()).toEqual(served);
  });
});

describe('Ctrl-C and crashes', () => {
  const long = ['--rate', '10', '--duration', '60s', ...SMALL, '--slo', SLO, '--out', 'r'];

  async function whenRecordsExist(dir: string): Promise<void> {
    const path = join(dir, 'records-0.ndjson');
    while (!existsSync(path) || readFileSync(path, 'utf8').split('\n').length < 5) {
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    }
  }

  it('one Ctrl-C ends with a valid partial report and exit code 130', async () => {
    const cwd = emptyFolder();
    const { child, outcome } = startCommand(['run', emulator.url, ...long], { cwd });
    await whenRecordsExist(join(cwd, 'r'));
    child.kill('SIGINT');
    const { exitCode, stdout } = await outcome;
    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/partial|interrupted/i);
    const summary = readSummary(join(cwd, 'r'));
    expect(summary.partial).toBe(true);
    const { ledger } = summary.points[0]!;
    const { scheduled, notReached, ...rest } = ledger;
    expect(Object.values(rest).reduce((a, b) => a + b, 0)).toBe(scheduled);
    expect(scheduled + notReached).toBe(readRecords(join(cwd, 'r')).length);
  });

  it('a killed run is readable up to the last second', async () => {
    const cwd = emptyFolder();
    const { child, outcome } = startCommand(['run', emulator.url, ...long], { cwd });
    await whenRecordsExist(join(cwd, 'r'));
    child.kill('SIGKILL');
    await outcome;
    const { exitCode, stdout } = await runBuilt(['report', 'r', '--format', 'json'], { cwd });
    expect(exitCode).toBe(0);
    const summary = JSON.parse(stdout) as Summary;
    expect(summary.partial).toBe(true);
    expect(summary.points[0]?.ledger.completed).toBeGreaterThan(3);
    // Offered 10/s until the crash, not over the minute that was planned.
    const cohort = summary.points[0]?.otherWindows.find(({ window }) => window.kind === 'cohort');
    expect(cohort?.realisedOfferedRps).toBeGreaterThan(2);
  });
});
