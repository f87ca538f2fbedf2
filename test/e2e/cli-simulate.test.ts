/** `goodput simulate` on specs: a run folder like any other, and the emulator as its witness. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import type { Manifest } from '../../src/record/index.ts';
import type { PointSummary, QuantileSummary, Summary } from '../../src/summary/index.ts';
import { emptyFolder, runBuilt, startCommand } from '../support/built-command.ts';

const LOAD = ['--rate', '4', '--duration', '30s', '--input', '512', '--output', '64', '--exact'];
const SLO = ['--slo', 'ttft<=1s, tpot<=20ms, attainment>=90%'];

function readSummary(dir: string): Summary {
  return JSON.parse(readFileSync(join(dir, 'summary.json'), 'utf8')) as Summary;
}

function readManifest(dir: string): Manifest {
  return JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as Manifest;
}

/** Simulates in a new folder and gives its run folder. */
async function simulated(...args: readonly string[]) {
  const cwd = emptyFolder();
  const outcome = await runBuilt(['simulate', ...args, '--out', 'r'], { cwd });
  return { ...outcome, cwd, dir: join(cwd, 'r') };
}

describe('goodput simulate', () => {
  it('leaves a run folder that says where it is from', async () => {
    const { exitCode, stdout, stderr, dir } = await simulated(...LOAD, ...SLO);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('plan: ')]);
    expect(stdout).toMatch(/server clock \(not the\s+user's view\) · simulated/);
    expect(readdirSync(dir).toSorted()).toEqual([
      'manifest.json',
      'records-0.ndjson',
      'schedule.ndjson',
      'simulation.json',
      'summary.json',
    ]);
    const manifest = readManifest(dir);
    expect(manifest).toMatchObject({
      source: 'simulated',
      clock: 'server',
      preflight: null,
      simulated: { cost: 'seed', replicas: 1, limits: { tokenBudget: 512 } },
    });
    const [point] = readSummary(dir).points;
    expect(point?.tpotBasis).toEqual({ observed: point?.ledger.completed, estimated: 0 });
    expect(point?.littlesLaw.pathGapShare).toBeCloseTo(0, 9);
    expect(point?.validity).toEqual({ valid: true, reasons: [] });
  });

  it('writes the same records again, and others for another seed', async () => {
    const sweep = ['--rate', '2,6', '--duration', '20s', '--output', '64'];
    const texts = [];
    for (const seed of ['1', '1', '2']) {
      const { dir } = await simulated(...sweep, '--seed', seed);
      texts.push([0, 1].map((point) => readFileSync(join(dir, `records-${point}.ndjson`), 'utf8')));
    }
    expect(texts[1]).toEqual(texts[0]);
    expect(texts[2]?.[0]).not.toEqual(texts[0]?.[0]);
  });

  it('can be judged, reported and asked for objectives like any run', async () => {
    const { cwd } = await simulated(...LOAD);
    const judged = await runBuilt(['judge', 'r', '--slo', 'ttft<=1ms, attainment>=95%'], { cwd });
    expect([judged.exitCode, judged.stdout]).toEqual([3, expect.stringContaining('simulated')]);
    const report = await runBuilt(['report', 'r', '--format', 'md'], { cwd });
    expect([report.exitCode, report.stdout]).toEqual([0, expect.stringContaining('simulated')]);
    expect(report.stdout).toContain('goodput simulate run.yaml');
    const suggested = await runBuilt(['objectives', 'suggest', 'r'], { cwd });
    expect([suggested.exitCode, suggested.stdout]).toEqual([0, expect.stringMatching(/^ttft<=/)]);
  });

  it('writes its steps as a Chrome trace, or says how to have some', async () => {
    const { cwd } = await simulated(...LOAD, '--steps');
    const trace = ['report', 'r', '--chrome-trace', 'trace.json'];
    expect(await runBuilt(trace, { cwd })).toMatchObject({ exitCode: 0 });
    const text = readFileSync(join(cwd, 'trace.json'), 'utf8');
    expect(JSON.parse(text)).toHaveProperty('traceEvents');
    const without = await simulated(...LOAD);
    const refused = await runBuilt(trace, { cwd: without.cwd });
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/r has no steps to trace[^]*simulate --steps/),
    ]);
  });

  it('takes a run file as it is for a real target, and asks for no key', async () => {
    const cwd = emptyFolder();
    writeFileSync(
      join(cwd, 'spec.yaml'),
      [
        'target: { url: https://api.example.com, keyEnv: NOT_SET, exact: true }',
        'workload: { input: 256, output: 32 }',
        'load: { users: 5, think: 1s }',
        'duration: 20s',
        'requests: 60',
        'slo: ttft<=1s, attainment>=90%',
        'out: r',
      ].join('\n'),
    );
    const { exitCode, stdout } = await runBuilt(['simulate', 'spec.yaml', '--replicas', '2'], {
      cwd,
    });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('5 users')]);
  });

  it('counts words where a prompt file tells no tokens, and says so', async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'prompts.txt'), 'one two three\nfour five\n');
    const args = ['--prompts', 'prompts.txt', '--prefix', 'asGiven', '--concurrency', '1'];
    const { stderr } = await runBuilt(
      ['simulate', ...args, '--requests', '2', '--out', 'r', '--duration', '5s'],
      { cwd },
    );
    expect(stderr).toContain('each word is taken for one token');
    const lines = readFileSync(join(cwd, 'r/records-0.ndjson'), 'utf8').trimEnd().split('\n');
    const prompts = lines.map((line) => {
      return (JSON.parse(line) as { timeline: PointTimeline }).timeline.usage.promptTokens;
    });
    expect(prompts).toEqual([3, 2]);
  });

  it('replicas behind a router carry what one cannot', async () => {
    const heavy = ['--rate', '45', '--duration', '20s', '--output', '64', '--exact'];
    const share = async (...flags: readonly string[]) => {
      const { dir } = await simulated(...heavy, '--slo', 'ttft<=500ms, attainment>=95%', ...flags);
      return readSummary(dir).points[0]?.attainment.share ?? 0;
    };
    expect(await share()).toBeLessThan(0.6);
    expect(await share('--replicas', '3', '--router', 'least-outstanding')).toBeGreaterThan(0.95);
  });

  it('finds shared beginnings again where the memory keeps them', async () => {
    const shared = ['--prefix', 'shared:480x2', '--kv-blocks', '4000', '--prefix-caching'];
    const { stdout } = await simulated(...LOAD, ...shared);
    expect(stdout).toMatch(/shared: 480 tokens, 2 groups\s+\(9\d\.\d\s+% cached\)/);
  });
});

describe('a sweep on several threads', () => {
  it('keeps the load points that were done when Ctrl-C comes', async () => {
    const cwd = emptyFolder();
    const load = ['--rate', '0.2,20', '--duration', '2000s', '--input', '100', '--output', '20'];
    const args = ['simulate', ...load, ...SLO, '--threads', '2', '--out', 'r'];
    const { child, outcome } = startCommand(args, { cwd });
    const path = join(cwd, 'r', 'manifest.json');
    await until(() => existsSync(path) && readManifest(join(cwd, 'r')).points.length > 0);
    child.kill('SIGINT');
    expect((await outcome).exitCode).toBe(130);
    const [done, cut] = readSummary(join(cwd, 'r')).points;
    expect(done).toMatchObject({ partial: false, load: { level: 0.2 } });
    expect(done?.ledger.completed).toBe(done?.ledger.scheduled);
    expect(cut).toMatchObject({ partial: true, load: { level: 20 } });
  });

  it('is refused where the count is none', async () => {
    const { exitCode, stderr } = await simulated(...LOAD, '--threads', '0');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--threads')]);
  });
});

describe('a step cost measured elsewhere', () => {
  // A decode alone with 200 tokens of context: base + context + sequence; the first of the grid.
  it.each([
    ['affine', 'affine.yaml', 18.1],
    ['table', 'table.csv', 11.5],
  ])('as %s sets the pace of simulator, emulator and search', async (kind, file, tpotMs) => {
    const folder = new URL('../../examples/step-costs/', import.meta.url);
    const cost = `${kind}:${fileURLToPath(new URL(file, folder))}`;
    const alone = ['--rate', '0.5', '--duration', '20s', '--input', '200', '--output', '20'];
    const { dir } = await simulated(...alone, '--exact', '--step-cost', cost);
    const tpotNs = readSummary(dir).points[0]?.tpotNs.min ?? 0;
    expect(tpotNs / 1e6).toBeCloseTo(tpotMs, 1);
    const served = await runBuilt([
      'emulate',
      '--step-cost',
      cost,
      '--for',
      '200ms',
      '--port',
      '0',
    ]);
    expect([served.exitCode, served.stdout]).toEqual([0, expect.stringContaining('emulating')]);
    const search = ['capacity', '--simulate', '--slo', 'tpot<=10ms, attainment>=90%'];
    const { exitCode } = await runBuilt([...search, '--step-cost', cost, '--out', 'c']);
    expect(exitCode, 'no rate at all is within a limit below the first step').toBe(3);
  });
});

/** Looks now and then. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}

interface PointTimeline {
  readonly usage: { readonly promptTokens: number };
}

describe('what is not simulated is an error', () => {
  it.each([
    [['http://127.0.0.1:1', '--rate', '1'], /a URL is not simulated/],
    [[...LOAD, '--prefix-caching'], /--prefix-caching needs --kv-blocks/],
    [[...LOAD, '--router', 'prefix-affine'], /prefix-affine needs --prefix-caching/],
    [[...LOAD, '--device', 'h200'], /--device needs --config/],
    [[...LOAD, '--itl'], /--itl needs --preset/],
    [['--preset', 'goodput-sweep', '--input', '5'], /--input does not go with --preset/],
    [['--preset', 'goodput-sweep', '--replicas', '2'], /--replicas does not go with --preset/],
    [['--preset', 'goodput-sweep', '--format', 'md'], /written as text or json/],
    [[...LOAD, '--replicas', '0', '--queue-timeout', '5'], /--queue-timeout 5.*[^]*--replicas 0/],
  ])('%j', async (args, message) => {
    const { exitCode, stderr, stdout } = await runBuilt(['simulate', ...args]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it.each([
    ['target: { stream: false }\nload: { rate: 1 }', /one body are not simulated/],
    ['workload: { bodies: b.jsonl }\nload: { rate: 1 }', /raw bodies are not simulated/],
    ['checks: [{ name: j, json: true }]\nload: { rate: 1 }', /no text to check/],
  ])('%j', async (spec, message) => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'spec.yaml'), spec);
    writeFileSync(join(cwd, 'b.jsonl'), '{"body":{"messages":[]}}\n');
    const { exitCode, stderr } = await runBuilt(['simulate', 'spec.yaml', '--out', 'r'], { cwd });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(readdirSync(cwd)).not.toContain('r');
  });
});

it('sweeps a service whose prompts and answers are computed apart', async () => {
  const cwd = emptyFolder();
  const load = [
    '--rate',
    '2,4',
    '--duration',
    '10s',
    '--input',
    '500',
    '--output',
    '20',
    '--exact',
  ];
  const apart = ['--decode-replicas', '1', '--transfer-bandwidth', '25GB/s'];
  const { exitCode, stdout, stderr } = await runBuilt(['simulate', ...load, ...apart], { cwd });
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('2 loads')]);
  expect(stderr).not.toContain('internal error');
});

describe('the emulator, loaded for real', () => {
  const SPEC = ['--rate', '3', '--duration', '8s', '--input', '2048', '--output', '64', '--exact'];
  const median = (point: PointSummary, measure: 'ttftFromPlannedNs' | 'tpotNs'): number =>
    point[measure].quantiles.find(({ q }) => q === 0.5)?.value ?? Number.NaN;

  /** How sure the values are rests on the instants, which differ. */
  const valuesOf = ({ n, mean, min, max, quantiles }: QuantileSummary) => {
    return [n, mean, min, max, ...quantiles.map(({ value }) => value)];
  };

  it('answers the same schedule when the simulator says it does', { retry: 2 }, async () => {
    const { cwd, dir } = await simulated(...SPEC);
    const emulator = await startEmulator();
    try {
      await runBuilt(['run', emulator.url, ...SPEC, '--out', 'real'], { cwd });
    } finally {
      await emulator.close();
    }
    const [forecast] = readSummary(dir).points;
    const [real] = readSummary(join(cwd, 'real')).points;
    if (forecast === undefined || real === undefined) throw new Error('a point is missing');
    expect(real.ledger).toEqual(forecast.ledger);
    for (const lengths of ['promptTokens', 'outputTokens'] as const) {
      expect(valuesOf(real[lengths])).toEqual(valuesOf(forecast[lengths]));
    }
    const { preflight } = readManifest(join(cwd, 'real'));
    const { roundTripNs } = preflight as { readonly roundTripNs: number };
    // A request may arrive just after the step it would have joined: that and the way are the band.
    const [ttftNs, realTtftNs] = [
      median(forecast, 'ttftFromPlannedNs'),
      median(real, 'ttftFromPlannedNs'),
    ];
    expect(Math.abs(realTtftNs - ttftNs)).toBeLessThan(0.15 * ttftNs + 3e6 + roundTripNs);
    const [tpotNs, realTpotNs] = [median(forecast, 'tpotNs'), median(real, 'tpotNs')];
    expect(Math.abs(realTpotNs - tpotNs)).toBeLessThan(0.15 * tpotNs);
  });
});
