/** `goodput doctor` against the truth, and what a run makes of its file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import type { ClientCalibration, Manifest } from '../../src/record/index.ts';
import type { Summary } from '../../src/summary/index.ts';
import { emptyFolder, runBuilt } from '../support/built-command.ts';

/** On a shared machine the verdict may well be that it cannot be trusted. */
const ALLOWED = [0, 4];
const SHORT = ['--streams', '8', '--token-rate', '20', '--output', '20', '--duration', '2s'];

const cwd = emptyFolder();
const file = join(cwd, 'goodput-runs', 'calibration.json');
let emulator: Emulator;
let doctor: Awaited<ReturnType<typeof runBuilt>>;

beforeAll(async () => {
  emulator = await startEmulator({ speedScale: 0.2 });
  doctor = await runBuilt(['doctor', ...SHORT, '--format', 'json'], { cwd });
}, 60_000);

afterAll(() => emulator.close());

function calibration(): ClientCalibration {
  return JSON.parse(readFileSync(file, 'utf8')) as ClientCalibration;
}

async function runWith(...flags: readonly string[]) {
  const out = join(emptyFolder(), 'run');
  const load = ['--rate', '8', '--duration', '500ms', '--input', '16', '--output', '8', '--exact'];
  const slo = ['--slo', 'ttft<=5s, attainment>=50%'];
  const args = ['run', emulator.url, ...load, ...slo, ...flags, '--out', out, '--format', 'json'];
  const outcome = await runBuilt(args, { cwd });
  return { ...outcome, out };
}

const summaryIn = (text: string) => JSON.parse(text) as Summary;
const manifestOf = (out: string) =>
  JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')) as Manifest;

describe('goodput doctor', () => {
  it('compares every stamp with the instant of sending, on this machine alone', () => {
    expect(doctor.stderr).not.toContain('E_');
    expect(ALLOWED).toContain(doctor.exitCode);
    const told = JSON.parse(doctor.stdout) as {
      verdict: string;
      findings: { check: string; state: string; advice: string | null }[];
      calibration: ClientCalibration;
    };
    expect(told.calibration).toEqual(calibration());
    expect(told.findings[0]).toMatchObject({ check: 'comparison', state: 'pass' });
    for (const { state, advice } of told.findings) expect(advice === null).toBe(state === 'pass');
    expect(doctor.exitCode).toBe(told.verdict === 'fail' ? 4 : 0);
  });

  it('tells the load, the ages and the cost', () => {
    const { stampAge, calmStampAge, lateness, reached, planned, ...of } = calibration();
    expect(planned).toEqual({ streamCount: 8, chunksRps: 160, startsRps: 8 });
    // At most every chunk of 8 streams in the window; a machine that stalls may lose some of it.
    expect(stampAge.sampleCount).toBeGreaterThan(80);
    expect(reached.chunksRps).toBeGreaterThan(80);
    expect(calmStampAge.sampleCount).toBeLessThanOrEqual(stampAge.sampleCount);
    expect(lateness.sampleCount).toBeGreaterThan(0);
    // An event cannot be stamped before it was sent: the two clocks are one.
    expect(stampAge.p50Ns).toBeGreaterThan(0);
    expect(stampAge.p99Ns).toBeGreaterThanOrEqual(stampAge.p50Ns as number);
    expect(stampAge.maxNs).toBeGreaterThanOrEqual(stampAge.p99Ns as number);
    expect(of.chunkCpuNs).toBeGreaterThan(0);
    expect(of.roomChunksRps).toBeGreaterThan(0);
    expect(of.transport).toEqual({ name: 'fast', tls: false, http2: false });
  });

  it('prints a verdict, a table and a line per check; a TLS target is tried over TLS', async () => {
    // Nobody is there, and nobody is asked.
    const args = ['doctor', 'https://127.0.0.1:1', ...SHORT, '--burst', '--out', 'other.json'];
    const text = await runBuilt(args, { cwd });
    expect(ALLOWED).toContain(text.exitCode);
    expect(text.stdout).toMatch(/^(PASS|WARN|FAIL) {5}/);
    expect(text.stdout).toContain('8 streams × 20.0/s, all at once: 160 chunks/s, 8.00 starts/s');
    expect(text.stdout).toContain('fast over TLS');
    expect(text.stdout).toMatch(/^PASS +[\d,]+ stamps compared with the instant of sending/m);
    expect(text.stdout).toMatch(/stamp age: stamp − sending +\S+ \S+ +\S+ \S+ +\S+ \S+ +\d/);
    expect(text.stdout).toContain('other.json');
  }, 30_000);

  it('refuses what it cannot try, all at once', async () => {
    const args = ['doctor', '--streams', '0', '--token-rate', 'x', '--duration', '10'];
    const { exitCode, stderr } = await runBuilt(args, { cwd });
    expect(exitCode).toBe(2);
    expect(stderr.match(/E_USAGE_VALUE/g)).toHaveLength(3);
  });
});

describe('goodput run with a calibration', () => {
  it('takes the file in reach, keeps it, and is judged by it ever after', async () => {
    const { stdout, out } = await runWith();
    const summary = summaryIn(stdout);
    expect(summary.calibration).toMatchObject({ used: true, misfits: [], burst: false });
    expect(manifestOf(out).calibration).toEqual({ client: calibration(), misfits: [] });
    const again = await runBuilt(['judge', out, '--format', 'json'], { cwd: emptyFolder() });
    const judged = summaryIn(again.stdout);
    expect(judged.validity).toEqual(summary.validity);
    expect(judged.calibration).toEqual(summary.calibration);
    for (const args of [['--explain'], ['--format', 'md']]) {
      const { stdout: shown } = await runBuilt(['report', out, ...args]);
      expect(shown).toMatch(/stamps up to \S+ \S+ late \(calibrated p99/);
    }
  }, 30_000);

  it('does without where told to, and says so of a file of another machine', async () => {
    expect(summaryIn((await runWith('--calibration', 'off')).stdout).calibration).toBeNull();
    const foreign = join(cwd, 'foreign.json');
    const host = { ...calibration().host, cpuModel: 'another processor' };
    writeFileSync(foreign, JSON.stringify({ ...calibration(), host }));
    const summary = summaryIn((await runWith('--calibration', foreign)).stdout);
    expect(summary.calibration).toMatchObject({ used: false, misfits: ['machine'] });
    const reason = summary.validity.reasons.find(({ check }) => check === 'calibration');
    expect(reason).toMatchObject({ severity: 'warning' });
    expect(reason?.message).toContain('on another machine');
  }, 30_000);

  it('passes over a file in reach that does not fit, and tells', async () => {
    const { stdout, stderr } = await runWith('--transport', 'compat');
    expect(summaryIn(stdout).calibration).toBeNull();
    expect(stderr).toContain('calibration.json is not of this run (other transport)');
  }, 30_000);

  it('refuses a named file that is none, before anything is sent', async () => {
    const bad = join(cwd, 'bad.json');
    writeFileSync(bad, '{"kind":"clientCalibration","schemaVersion":1}');
    const { exitCode, stderr } = await runWith('--calibration', bad);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('E_CALIBRATION_FORMAT');
    expect(stderr).toContain('measuredAt');
    expect((await runWith('--calibration', join(cwd, 'none.json'))).exitCode).toBe(5);
  }, 30_000);
});
