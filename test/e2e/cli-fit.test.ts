/** `goodput fit` on logs of a server whose factors are known, because it was simulated. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FactorFit, replayRun, type ServerSetup } from '../../src/calibration/index.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import {
  DEVICE_SHEETS,
  type DeviceSheet,
  GENERIC_FACTORS,
  ONE_DEVICE,
  rooflineCostModel,
} from '../../src/engine/index.ts';
import { parseFitFile } from '../../src/importers/index.ts';
import { modelShape } from '../support/model-configs.ts';

const CONFIG = fileURLToPath(
  new URL('../fixtures/model-configs/llama-3.1-8b.json', import.meta.url),
);
const SETUP: ServerSetup = {
  limits: {
    tokenBudget: 1_024,
    maxSequences: 16,
    maxWaiting: null,
    maxModelTokens: null,
    longPrefillTokenThreshold: null,
  },
  memory: null,
  plansAhead: false,
  engines: 1,
};
const META = {
  model: 'test',
  vllm_version: '0.19.0',
  engine_kwargs: {
    tensor_parallel_size: 1,
    data_parallel_size: 1,
    enable_expert_parallel: false,
    max_num_seqs: 16,
    max_num_batched_tokens: 1_024,
  },
};

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'goodput-fit-'));
  writeLog('slow', 150, META);
  writeLog('fast', 80, META);
  writeLog('split', 80, {
    ...META,
    engine_kwargs: { ...META.engine_kwargs, tensor_parallel_size: 2 },
  });
  writeLog('untold', 80, null);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The log of a server at half its data sheet's arithmetic, a request every `gapMs`. */
function writeLog(name: string, gapMs: number, meta: object | null): void {
  const requests = Array.from({ length: 40 }, (_, index) => ({
    atNs: index * gapMs * 1e6,
    promptTokens: 100 + ((index * 613) % 2_000),
    outputTokens: 10 + ((index * 37) % 30),
    firstNs: 0,
    lastNs: 0,
  }));
  const costModel = rooflineCostModel({
    shape: modelShape('llama-3.1-8b'),
    device: DEVICE_SHEETS['h100-sxm'] as DeviceSheet,
    parallelism: ONE_DEVICE,
    factors: { ...GENERIC_FACTORS, computeShare: 0.5 },
    calibration: { provenance: 'truth', hull: null, residuals: [] },
  });
  const replay = replayRun({ name, requests, leftOutCount: 0 }, SETUP, costModel);
  const rows = replay.requests.map((request, index) =>
    JSON.stringify({
      request_id: `r${index}`,
      input_toks: request.promptTokens,
      output_toks: request.outputTokens,
      arrival_time: request.atNs / 1e9,
      queued_ts: request.atNs / 1e9,
      scheduled_ts: request.atNs / 1e9,
      first_token_ts: request.firstNs / 1e9,
      last_token_ts: request.lastNs / 1e9,
    }),
  );
  mkdirSync(join(root, name));
  writeFileSync(join(root, name, 'requests.jsonl'), `${rows.join('\n')}\n`);
  if (meta !== null) writeFileSync(join(root, name, 'meta.json'), JSON.stringify(meta));
}

async function goodput(...argv: readonly string[]) {
  let [stdout, stderr] = ['', ''];
  const code = await runCommandLine(argv, {
    env: {},
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    stdoutIsTerminal: false,
    status: null,
    columns: 100,
    color: false,
    onInterrupt: () => () => {},
  });
  return { code, stdout, stderr };
}

const MODEL = ['--config', CONFIG, '--device', 'h100-sxm'];

describe('goodput fit', () => {
  test('finds the factors, and predicts a run it did not see', async () => {
    const [slow, fast] = [join(root, 'slow'), join(root, 'fast')];
    const ran = await goodput('fit', slow, ...MODEL, '--holdout', fast, '--format', 'json');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^note: the held-out runs go beyond .*: sequences \d+/);
    const found = JSON.parse(ran.stdout) as Pick<FactorFit, 'factors' | 'runs'> & {
      readonly holdouts: FactorFit['runs'];
      readonly calibration: { readonly hull: { readonly prefillTokens: number } };
    };
    expect(found.factors.computeShare).toBeCloseTo(0.5, 1);
    expect(found.runs.map(({ name, requests }) => [name, requests])).toEqual([['slow', 40]]);
    expect(found.holdouts.map(({ name }) => name)).toEqual(['fast']);
    expect(found.calibration.hull.prefillTokens).toBe(1_024);
    expect(parseFitFile(ran.stdout, { file: 'fit.json' })).toMatchObject({
      kind: 'imported',
      value: { factors: found.factors, parallelism: ONE_DEVICE },
    });
    for (const { meanShare } of [...found.runs, ...found.holdouts].flatMap((r) => r.residuals)) {
      expect(Math.abs(meanShare)).toBeLessThan(0.03);
    }
  });

  test('says it in words', async () => {
    const { stdout, stderr } = await goodput('fit', join(root, 'fast'), ...MODEL);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/memory bandwidth +\d+ % of the data sheet/);
    expect(stdout).toMatch(/fitted +TTFT [+−]\d\.\d %, [+−]\d\.\d % .* fast \(40 requests\)/);
    expect(stdout).not.toMatch(/link/);
  });

  test('asks for the settings that no file tells', async () => {
    const untold = join(root, 'untold');
    const refused = await goodput('fit', untold, ...MODEL, '--max-sequences', '16');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/add --token-budget/);
    const limits = ['--max-sequences', '16', '--token-budget', '1024'];
    expect((await goodput('fit', untold, ...MODEL, ...limits)).code).toBe(0);
  });

  test.each([
    [['--kv-blocks', '5'], /5 blocks of 16 tokens cannot hold a request of \d+/],
    [['--token-budget', 'many'], /--token-budget many is not a whole number/],
    [['--device', 'abacus'], /--device abacus is not known/],
    [['--holdout', 'split'], /the runs differ: --tensor-parallel 1 and 2/],
  ])('refuses %j', async (flags, message) => {
    const argv = flags.map((flag) => (flag === 'split' ? join(root, flag) : flag));
    const { code, stderr } = await goodput('fit', join(root, 'fast'), ...MODEL, ...argv);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('reads a data sheet from a file, and tells its mistakes at their place', async () => {
    const sheet = join(root, 'card.yaml');
    writeFileSync(sheet, 'name: card\nmemoryBytes: 80e9\n');
    const argv = ['fit', join(root, 'fast'), '--config', CONFIG, '--device', `@${sheet}`];
    expect((await goodput(...argv)).stderr).toMatch(/memoryBytesPerSecond is missing/);
  });
});

describe('goodput simulate --fit', () => {
  const fitFile = (): string => join(root, 'fit.json');
  const simulate = (out: string, ...flags: readonly string[]) => {
    const load = ['--rate', '5', '--duration', '4s', '--input', '500'];
    const lengths = ['--output', '10', '--out', join(root, out)];
    return goodput('simulate', ...load, ...lengths, '--config', CONFIG, ...flags);
  };

  beforeAll(async () => {
    const flags = [...MODEL, '--format', 'json'];
    writeFileSync(fitFile(), (await goodput('fit', join(root, 'fast'), ...flags)).stdout);
  });

  test('serves by the fitted cost', async () => {
    const ran = await simulate('inside', '--fit', fitFile(), '--quiet');
    expect(ran.code).toBe(0);
    expect(ran.stderr).not.toMatch(/beyond/);
  });

  test('says when steps went beyond what was measured', async () => {
    const ran = await simulate(
      'beyond',
      '--fit',
      fitFile(),
      '--token-budget',
      '4096',
      '--rate',
      '60',
    );
    expect(ran.stderr).toMatch(/note: steps went beyond what was measured: .*prefillTokens/);
  });

  test.each([
    [['--device', 'h200'], /--fit says what --device would/],
    [['--tensor-parallel', '2'], /--fit says what --tensor-parallel would/],
  ])('refuses %j beside it', async (flags, message) => {
    const { code, stderr } = await simulate('refused', '--fit', fitFile(), ...flags);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});
