/** `goodput compare`, every way: what it says, what it leaves, how it exits. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../src/comparison/index.ts';
import { startEmulator } from '../../src/emulator/index.ts';
import { emptyFolder, runBuilt } from '../support/built-command.ts';

const LOAD = [
  '--rate',
  '6',
  '--duration',
  '20s',
  '--input',
  '512',
  '--output',
  '48',
  '--exact',
  '--slo',
  'ttft<=1s, tpot<=15ms, attainment>=95%',
];

async function compared(args: readonly string[], cwd = emptyFolder()) {
  const outcome = await runBuilt(['compare', ...args, '--quiet', '--json', 'c.json'], { cwd });
  const path = join(cwd, 'c.json');
  const comparison = existsSync(path)
    ? (JSON.parse(readFileSync(path, 'utf8')) as Comparison)
    : null;
  return { ...outcome, cwd, comparison };
}

async function simulated(cwd: string, dir: string, ...args: readonly string[]): Promise<void> {
  await runBuilt(['simulate', ...LOAD, ...args, '--out', dir], { cwd });
}

function verdicts(comparison: Comparison | null): Record<string, string> {
  return Object.fromEntries(comparison?.metrics.map((each) => [each.metric, each.verdict]) ?? []);
}

describe('goodput compare --step-factors', () => {
  it('finds steps that are 5 % slower, exits 3 and writes for people and CI', async () => {
    const outputs = ['--markdown', 'c.md', '--junit', 'c.xml', '--out', 'ab'];
    const { exitCode, stdout, cwd, comparison } = await compared([
      '--step-factors',
      '1,1.05',
      '--pairs',
      '8',
      ...LOAD,
      ...outputs,
    ]);
    expect([exitCode, stdout.split('\n')[0]]).toEqual([3, expect.stringContaining('WORSE')]);
    expect(comparison).toMatchObject({ design: 'interleaved', unitsMeasured: 8, verdict: 'worse' });
    expect(verdicts(comparison)).toMatchObject({
      'p50(tpot)': 'worse',
      outputTokens: 'equivalent',
    });
    expect(comparison?.attribution.systemChanges.map(({ fact }) => fact)).toEqual([
      'simulated.speedScale',
    ]);
    expect(readFileSync(join(cwd, 'c.md'), 'utf8')).toContain('| `p50(tpot)` |');
    expect(readFileSync(join(cwd, 'c.xml'), 'utf8')).toContain('<failure message="worse: ');
    expect(readdirSync(join(cwd, 'ab'))).toHaveLength(17);
    const stored = readFileSync(join(cwd, 'ab/comparison.json'), 'utf8');
    expect(JSON.parse(stored)).toEqual(comparison);
  });

  it('answers the hypothesis of the run file, and says when too little was measured', async () => {
    const cwd = emptyFolder();
    const spec =
      'target: { url: http://simulated.localhost, exact: true }\nworkload: { input: 512, output: 48 }\n' +
      'load: { rate: 6 }\nduration: 20s\nslo: ttft<=1s, attainment>=95%\n' +
      "hypothesis: { change: faster steps, expected: 'p50(tpot) <= -4%, goodput unchanged' }\n";
    writeFileSync(join(cwd, 'spec.yaml'), spec);
    const all = await compared(['spec.yaml', '--step-factors', '1,0.95', '--pairs', '6'], cwd);
    expect(all.exitCode).toBe(0);
    expect(all.comparison?.verdict).toBe('better');
    expect(all.comparison?.hypothesis?.answer).toBe('confirmed');
    expect(all.stdout).toContain('Expected confirmed: faster steps');
    const few = ['spec.yaml', '--step-factors', '1,1.5', '--pairs', '2', '--require-proof'];
    expect(await compared(few, cwd)).toMatchObject({
      exitCode: 6,
      stdout: expect.stringContaining('NOT ENOUGH DATA'),
    });
  });
});

describe('goodput compare of stored runs', () => {
  it('compares slices of two runs, and refuses to blame anybody for another question', async () => {
    const cwd = emptyFolder();
    await simulated(cwd, 'before', '--duration', '60s');
    await simulated(cwd, 'after', '--duration', '60s', '--speed-scale', '1.1');
    await simulated(cwd, 'other', '--duration', '60s', '--seed', '9');
    const same = await compared(['before', 'after'], cwd);
    expect([same.exitCode, verdicts(same.comparison)['p50(tpot)']]).toEqual([3, 'worse']);
    expect(same.stdout).toContain('not interleaved');
    expect(same.comparison?.attribution.caveats[0]).toContain('one after the other');
    const other = await compared(['before', 'other'], cwd);
    expect([other.exitCode, other.comparison?.verdict]).toEqual([4, 'notComparable']);
    expect(other.stdout).toContain('Differs  seeds.arrivals: 1 and 9');
  });

  it('holds tonight against the last good nights, and leaves out what they were not', async () => {
    const cwd = emptyFolder();
    mkdirSync(join(cwd, 'nightly'));
    for (const [at, scale] of ['1', '1.004', '0.997', '1.002', '0.999', '1.001'].entries()) {
      await simulated(cwd, `nightly/n${at}`, '--speed-scale', scale);
    }
    await simulated(cwd, 'nightly/odd', '--input', '100');
    await simulated(cwd, 'good', '--speed-scale', '1.003');
    await simulated(cwd, 'slow', '--speed-scale', '1.2');
    const good = await compared(['--baseline', 'nightly', 'good'], cwd);
    expect([good.exitCode, good.comparison?.unitsMeasured]).toEqual([0, 6]);
    const slow = await compared(['--baseline', 'nightly', 'slow', '--last', '6'], cwd);
    expect([slow.exitCode, verdicts(slow.comparison)['p50(tpot)']]).toEqual([3, 'worse']);
    const loud = await runBuilt(['compare', '--baseline', 'nightly', 'good'], { cwd });
    expect(loud.stderr).toContain('nightly/odd is left out: it was asked something else: workload');
  });
});

describe('goodput compare of targets', () => {
  const SHORT = [
    '--rate',
    '16',
    '--duration',
    '400ms',
    '--input',
    '64',
    '--output',
    '8',
    '--exact',
  ];

  it('keeps the noise floor of a target against itself, and uses it for the same question', async () => {
    const emulator = await startEmulator({ speedScale: 0.1 });
    const cwd = emptyFolder();
    try {
      const equal = await compared(
        ['--a-a', emulator.url, ...SHORT, '--pairs', '2', '--out', 'ab'],
        cwd,
      );
      expect([0, 4]).toContain(equal.exitCode);
      expect(equal.comparison).toMatchObject({ isNoiseFloor: true, unitsMeasured: 2 });
      const sides = ['--a', emulator.url, '--b', emulator.url];
      const both = await compared([...sides, ...SHORT, '--pairs', '2', '--out', 'ab'], cwd);
      expect(both.comparison).toMatchObject({ design: 'interleaved', floorFrom: 'cached' });
      const longer = [
        ...sides,
        ...SHORT,
        '--duration',
        '500ms',
        '--pairs',
        '2',
        '--out',
        'ab',
        '--force',
      ];
      expect(await compared(longer, cwd)).toMatchObject({
        stderr: expect.stringContaining('is of another question'),
        comparison: { floorFrom: null },
      });
    } finally {
      await emulator.close();
    }
  });

  it('switches sides and resets by commands, in the order A B B A', async () => {
    const emulator = await startEmulator({ speedScale: 0.1 });
    try {
      const { comparison, cwd, exitCode } = await compared([
        emulator.url,
        ...SHORT,
        '--pairs',
        '2',
        '--out',
        'ab',
        '--switch-to-a',
        'echo switch $GOODPUT_SIDE >> log',
        '--switch-to-b',
        'echo switch $GOODPUT_SIDE >> log',
        '--reset',
        'echo reset $GOODPUT_SIDE $GOODPUT_URL >> log',
      ]);
      expect([0, 4]).toContain(exitCode);
      expect(comparison).toMatchObject({ design: 'restarts', unit: 'block' });
      const log = readFileSync(join(cwd, 'log'), 'utf8').replaceAll(` ${emulator.url}`, '');
      expect(log.trim().split('\n')).toEqual([
        'switch a',
        'reset a',
        'switch b',
        'reset b',
        'reset b',
        'switch a',
        'reset a',
      ]);
    } finally {
      await emulator.close();
    }
  });

  it('a command that fails stops it as the outside world does', async () => {
    const { exitCode, stderr } = await compared([
      'http://127.0.0.1:9',
      ...SHORT,
      '--pairs',
      '2',
      '--switch-to-a',
      'exit 7',
      '--switch-to-b',
      'true',
    ]);
    expect([exitCode, stderr]).toEqual([
      5,
      expect.stringContaining('ended with 7 [E_COMMAND_FAILED]'),
    ]);
  });
});

describe('goodput compare refuses', () => {
  it.each([
    [[], 'nothing to compare [E_USAGE_MISSING]'],
    [['one', 'two', '--pairs', '8'], '--pairs does not go with two stored runs [E_USAGE_CONFLICT]'],
    [['--a', 'http://127.0.0.1:9', ...LOAD], 'the other address is missing: --b URL'],
    [['--step-factors', '1,2', ...LOAD, '--rate', '1,2'], 'one load point'],
    [['--step-factors', '1,2', ...LOAD, '--max-requests', '500'], 'does not hold the 24 windows'],
    [
      ['--step-factors', '1,2', ...LOAD, '--a', 'http://127.0.0.1:9'],
      '--a does not go with --step-factors',
    ],
  ])('%j', async (args, message) => {
    const { exitCode, stderr } = await compared(args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
