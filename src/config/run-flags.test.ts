import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import {
  parseRunSpec,
  RUN_FLAGS,
  runSpecFromFlags,
  type FlagValues,
  type RunSpec,
} from './index.ts';
import { camelCase } from './run-flags.ts';

const CONTEXT = { env: { OPENAI_API_KEY: 'sk-canary' }, readFile: () => '' };
const TARGET = { url: 'http://127.0.0.1:8000' };

function fromFlags(flags: FlagValues): RunSpec {
  const parsed = runSpecFromFlags(flags, CONTEXT);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.spec;
}

function fromYaml(text: string, flags: FlagValues = {}): RunSpec {
  const parsed = parseRunSpec(text, { ...CONTEXT, file: 'run.yaml', flags });
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.spec;
}

/** The options of a command line, read by commander from the table. */
type Args = readonly (string | readonly string[])[];

function commandLine(...args: Args): FlagValues {
  const command = new Command().exitOverride();
  for (const { flag, value, form } of RUN_FLAGS) {
    const repeatable = form === 'header' || form === 'assignment';
    const text = value === null ? flag : `${flag} ${value}`;
    if (!repeatable) command.option(text);
    else command.option(text, '', (item: string, all?: string[]) => [...(all ?? []), item]);
  }
  return command.parse(args.flat(), { from: 'user' }).opts();
}

describe('RUN_FLAGS', () => {
  test('a flag is its key in kebab-case', () => {
    const odd = RUN_FLAGS.filter(
      ({ flag, path }) => camelCase(flag.replace(/^--(no-)?/, '')) !== path.at(-1),
    );
    expect(odd.map(({ flag }) => flag)).toEqual(['--header']);
  });

  test('every flag has one line of help, and no two set the same key', () => {
    for (const { help, flag } of RUN_FLAGS) expect(help, flag).toMatch(/^[^\n`]{5,}\.$/);
    const keys = RUN_FLAGS.map(({ path }) => path.join('.'));
    expect(new Set(keys).size).toBe(keys.length);
  });
});

test('a tokenizer is a name, or a path by its slash or its ending', () => {
  const of = (tokenizer: string) => fromFlags({ ...TARGET, rate: '1', tokenizer }).target.tokenizer;
  expect(of('o200k_base')).toEqual({ kind: 'gpt', vocabulary: 'o200k_base' });
  expect(of('tokenizer.json')).toEqual({ kind: 'file', path: 'tokenizer.json' });
  expect(of('./mine')).toEqual({ kind: 'file', path: './mine' });
  const text = 'target: { url: http://h, tokenizer: t.json }\nload: { rate: 1 }';
  const beside = parseRunSpec(text, { ...CONTEXT, file: 'specs/run.yaml' });
  expect(beside).toMatchObject({ spec: { target: { tokenizer: { path: 'specs/t.json' } } } });
});

describe('flags and YAML say the same', () => {
  test.each<[string, Args, string]>([
    ['rate sweep', ['--rate', '2,4,8'], 'load: { rate: [2, 4, 8] }'],
    [
      'one rate',
      ['--rate', '0.5', '--arrivals', 'constant'],
      'load: { rate: 0.5, arrivals: constant }',
    ],
    [
      'bursts',
      ['--rate', '4', '--arrivals', 'gamma:3.5'],
      'load: { rate: [4], arrivals: gamma:3.5 }',
    ],
    ['streams', ['--concurrency', '1,8'], 'load: { concurrency: [1, 8] }'],
    ['users', ['--users', '10', '--think', '2s'], 'load: { users: 10, think: 2s }'],
    [
      'replay',
      ['--trace', 'azure:f.csv', '--time-scale', '10', '--from', '5m', '--max-output', '1k'],
      'workload: { trace: { azure: f.csv }, maxOutput: 1000 }\nload: { timeScale: 10, from: 300s }',
    ],
    [
      'lengths',
      ['--rate', '1', '--input', 'uniform:100-200', '--output', 'lognormal:2000,0.8,max=16000'],
      'workload: { input: { uniform: { min: 100, max: 200 } }, output: { lognormal: { median: 2k, sigma: 0.8, max: 16k } } }\nload: { rate: 1 }',
    ],
    [
      'empirical',
      ['--rate', '1', '--input', 'empirical:1024=0.3,256=0.7', '--prefix', 'shared:512x4'],
      'workload: { input: { empirical: { 256: 0.7, 1024: 0.3 } }, prefix: shared:512x4 }\nload: { rate: 1 }',
    ],
    [
      'prompts',
      ['--rate', '1', '--sharegpt', 's.json', '--order', 'shuffled', '--prefix', 'asGiven'],
      'workload: { sharegpt: s.json, order: shuffled, prefix: asGiven }\nload: { rate: 1 }',
    ],
    [
      'the rest',
      [
        [
          '--rate',
          '1',
          '--duration',
          '2m',
          '--requests',
          '100',
          '--warmup',
          '10s',
          '--drain',
          'cancel',
        ],
        ['--seed', '7', '--slo', 'ttft<=500ms, attainment>=95%', '--lateness-limit', '100ms'],
        [
          '--max-requests',
          '1000',
          '--max-tokens',
          '1e6',
          '--max-cost',
          '5',
          '--input-price',
          '0.5',
        ],
        ['--output-price', '1.5', '--max-in-flight', '64', '--name', 'n', '--out', 'dir'],
        ['--declare', 'gpu=8xH100', '--declare', 'tp=8'],
      ],
      [
        'name: n\nload: { rate: 1 }\nduration: 120s\nrequests: 100\nwarmup: 10s\ndrain: cancel\nseed: 7',
        'slo: ttft<=500ms, attainment>=95%\nlatenessLimit: 100ms\nout: dir',
        'budget: { maxRequests: 1000, maxTokens: 1e6, maxCost: 5, inputPrice: 0.5, outputPrice: 1.5, maxInFlight: 64 }',
        'declare: { gpu: 8xH100, tp: 8 }',
      ].join('\n'),
    ],
  ])('%s', (_name, args, yaml) => {
    const flags = commandLine('--url', TARGET.url, ...args);
    expect(fromFlags(flags)).toEqual(fromYaml(`target: { url: ${TARGET.url} }\n${yaml}`));
  });

  test('the target', () => {
    const flags = commandLine(
      [
        '--url',
        'https://127.0.0.1:8443',
        '--rate',
        '1',
        '--api',
        'completions',
        '--model',
        'm',
        '--no-stream',
      ],
      ['--exact', '--header', 'X-A: 1', '--header', 'X-B: a: b', '--body', 'temperature=0'],
      ['--body', 'stop=["a"]', '--body', 'user=me', '--key-file', 'k', '--proxy', 'http://p:1'],
      [
        '--ca',
        'ca.pem',
        '--cert',
        'c.pem',
        '--cert-key',
        'k.pem',
        '--transport',
        'compat',
        '--http2',
      ],
      ['--timeout', '1m', '--connect-timeout', '1s'],
      ['--max-line-bytes', '10k', '--max-response-bytes', '1m'],
    );
    const yaml = `
target:
  url: https://127.0.0.1:8443
  api: completions
  model: m
  stream: false
  exact: true
  headers: { X-A: 1, X-B: "a: b" }
  body: { temperature: 0, stop: [a], user: me }
  keyFile: k
  proxy: http://p:1
  ca: ca.pem
  cert: c.pem
  certKey: k.pem
  transport: compat
  http2: true
  timeout: 60s
  connectTimeout: 1000ms
  maxLineBytes: 10000
  maxResponseBytes: 1000000
load: { rate: 1 }`;
    expect(fromFlags(flags)).toEqual(fromYaml(yaml));
  });
});

describe('flags over a run file', () => {
  const FILE = `
target: { url: ${TARGET.url}, keyEnv: MINE, headers: { X-A: old, X-B: kept } }
workload: { prompts: data/p.jsonl, order: shuffled, prefix: asGiven }
load: { rate: [2, 4], arrivals: constant }
duration: 60s`;

  test('a flag replaces its key and leaves the others', () => {
    const spec = fromYaml(FILE, commandLine('--duration', '5s', '--header', 'X-A: new'));
    expect(spec.durationNs).toBe(5e9);
    expect(spec.target.headers).toEqual({ 'X-A': 'new', 'X-B': 'kept' });
    expect(spec.load).toMatchObject({ kind: 'rate', ratesRps: [2, 4] });
  });

  test('a flag of another kind drives the old kind out', () => {
    expect(fromYaml(FILE, commandLine('--concurrency', '8')).load).toEqual({
      kind: 'concurrency',
      levels: [8],
    });
    expect(
      fromYaml(FILE, commandLine('--input', '10', '--prefix', 'unique')).workload,
    ).toMatchObject({
      kind: 'synthetic',
      input: { kind: 'fixed', tokens: 10 },
    });
    expect(fromYaml(FILE, commandLine('--key-file', 'k')).target).toMatchObject({
      apiKeyEnv: null,
      apiKeyFile: 'k',
    });
  });

  test('a flag that only refines does not', () => {
    const parsed = parseRunSpec(FILE, { ...CONTEXT, file: 'run.yaml', flags: { think: '2s' } });
    expect(parsed).toMatchObject({
      problems: [
        { code: 'E_USAGE_CONFLICT', message: '--think does not apply to load.rate', place: null },
      ],
    });
  });

  test('paths in a file are relative to it, paths in flags to where we are', () => {
    const options = { ...CONTEXT, file: 'specs/run.yaml' };
    const workload = (flags: FlagValues): unknown => {
      const parsed = parseRunSpec(FILE, { ...options, flags });
      return 'spec' in parsed ? parsed.spec.workload : parsed.problems;
    };
    expect(workload({})).toMatchObject({ path: 'specs/data/p.jsonl' });
    expect(workload({ prompts: 'q.txt' })).toMatchObject({ path: 'q.txt', format: 'text' });
  });

  test('a wrong flag is named; the file keeps its places', () => {
    const parsed = parseRunSpec('target: { url: ftp://x }\nload: { rate: 1 }', {
      ...CONTEXT,
      file: 'run.yaml',
      flags: { rate: '2,x', duration: '500' },
    });
    expect('problems' in parsed ? parsed.problems : []).toMatchObject([
      {
        code: 'E_USAGE_VALUE',
        message: '--rate x is not a rate in requests per second',
        place: null,
      },
      { code: 'E_USAGE_VALUE', message: '--duration 500 has no unit', hint: 'write 500ms or 500s' },
      { code: 'E_CONFIG_VALUE', place: { file: 'run.yaml', line: 1, column: 16 } },
    ]);
  });
});

describe('flags alone', () => {
  test('what is missing is named as a flag', () => {
    const parsed = runSpecFromFlags({ header: ['broken sk-canary'] }, CONTEXT);
    const problems = 'problems' in parsed ? parsed.problems : [];
    expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'E_USAGE_VALUE --header needs a name, ":" and a value',
      'E_USAGE_MISSING --url is missing',
      'E_USAGE_MISSING no load is given',
    ]);
    expect(JSON.stringify(problems)).not.toContain('sk-canary');
  });

  test('a name like __proto__ is an ordinary name', () => {
    const spec = fromFlags({ ...TARGET, rate: '1', declare: ['__proto__={"polluted":1}'] });
    expect((spec as unknown as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('the key variable is taken by name only when it is set', () => {
    const flags = { ...TARGET, rate: '1' };
    expect(fromFlags(flags).target.apiKeyEnv).toBe('OPENAI_API_KEY');
    const bare = runSpecFromFlags(flags, { env: {}, readFile: () => '' });
    expect('spec' in bare ? bare.spec.target.apiKeyEnv : bare).toBeNull();
    expect(JSON.stringify(fromFlags(flags))).not.toContain('sk-canary');
  });

  test('takes a number of generator processes, or as many as it needs', () => {
    const load = { url: 'http://127.0.0.1:1', rate: '1' };
    expect(fromFlags(load).processes).toBeNull();
    expect(fromFlags({ ...load, processes: 'auto' }).processes).toBeNull();
    expect(fromFlags({ ...load, processes: '3' }).processes).toBe(3);
    for (const processes of ['0', '1.5', 'many']) {
      const parsed = runSpecFromFlags({ ...load, processes }, CONTEXT);
      expect('problems' in parsed && parsed.problems[0]?.message).toContain('--processes');
    }
  });
});
