import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EXAMPLE_RUNS, EXAMPLES } from '../../test/support/example-runs.ts';
import type { LengthDistribution } from '../workload/index.ts';
import {
  parseRunSpec,
  runSpecFromFlags,
  runSpecYaml,
  type FlagValues,
  type RunSpec,
} from './index.ts';

const CANARY = 'sk-canary';

function parse(text: string, file = 'run.yaml', env: Record<string, string> = {}): RunSpec {
  const parsed = parseRunSpec(text, { file, env, readFile: (path) => readFileSync(path, 'utf8') });
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.spec;
}

function fromFlags(flags: FlagValues): RunSpec {
  const parsed = runSpecFromFlags(flags, {
    env: { OPENAI_API_KEY: CANARY },
    readFile: () => '',
  });
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.spec;
}

describe('runSpecYaml', () => {
  test.each(EXAMPLE_RUNS)('examples/%s reads back as the same spec', (name) => {
    const spec = parse(readFileSync(`${EXAMPLES}${name}`, 'utf8'), `${EXAMPLES}${name}`);
    expect(parse(runSpecYaml(spec))).toEqual(spec);
  });

  test('is what a person would write', () => {
    const flags = { url: 'http://127.0.0.1:8000', rate: '2,4', slo: 'ttft<=500ms,attainment>=95%' };
    expect(runSpecYaml(fromFlags({ ...flags, body: ['temperature=0'] }))).toBe(`target:
  url: http://127.0.0.1:8000
  api: chat
  stream: true
  keyEnv: OPENAI_API_KEY
  keyHeader: authorization
  body: { temperature: 0 }
  exact: false
  tokensPerEvent: unknown
  transport: fast
  http2: false
  timeout: 10m
  connectTimeout: 10s
  maxLineBytes: 1000000
  maxResponseBytes: 16000000
workload: { input: 1024, output: 128, prefix: unique }
load:
  rate: [ 2, 4 ]
  arrivals: poisson
duration: 60s
warmup: 0s
drain: 30s
seed: 1
slo: ttft<=500ms, attainment>=95%, finish=stop|length
budget: { maxInFlight: 1024 }
`);
  });

  test('means the same in an environment with other keys and variables', () => {
    const text = runSpecYaml(fromFlags({ url: 'http://h', rate: '1', declare: ['a=${HOME}'] }));
    expect(text).not.toContain(CANARY);
    const elsewhere = parse(text, 'run.yaml', { HOME: '/root' });
    expect(elsewhere.declare).toEqual({ a: '${HOME}' });
    const bare = runSpecFromFlags({ url: 'http://h', rate: '1' }, { env: {}, readFile: () => '' });
    if ('problems' in bare) throw new Error('no spec');
    const keyless = parse(runSpecYaml(bare.spec), 'run.yaml', { OPENAI_API_KEY: CANARY });
    expect(keyless.target.apiKeyEnv).toBeNull();
  });

  test.each([
    { slo: 'chat' },
    { slo: 'reasoning' },
    { slo: 'batch' },
    { slo: 'agent', prefix: 'shared:100' },
    { slo: 'ttft[0-4k]<=1s, ttft[4k+]<=3s, tpotObserved<=40ms, finish=stop' },
    { users: '3', think: 'fixed:2s', drain: 'cancel' },
    { bodies: 'b.jsonl', rate: '1', slo: 'e2e<=1s' },
  ])('law: %o reads back as the same spec', (flags: FlagValues) => {
    const load = 'users' in flags ? {} : { rate: '1.5' };
    const spec = fromFlags({ url: 'http://h', ...load, ...flags });
    expect(parse(runSpecYaml(spec))).toEqual(spec);
  });

  test('law: any spec reads back as itself', () => {
    fc.assert(
      fc.property(anySpec(), (spec) => {
        expect(parse(runSpecYaml(spec))).toEqual(spec);
      }),
      { numRuns: 60 },
    );
  });
});

/** Specs with values that flags rarely have: odd text, many digits, every kind of load. */
function anySpec(): fc.Arbitrary<RunSpec> {
  const base = fromFlags({ url: 'http://h', rate: '1' });
  const tokens = fc.integer({ min: 1, max: 1_000_000 });
  const ns = fc.integer({ min: 1, max: 1e15 });
  const above0 = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
  const line = fc.string({ minLength: 1 }).filter((text) => !/[\n\r\0]/.test(text));
  const length: fc.Arbitrary<LengthDistribution> = fc.oneof(
    fc.record({ kind: fc.constant('fixed' as const), tokens }),
    fc
      .tuple(tokens, tokens)
      .map(([a, b]) => ({ kind: 'uniform' as const, min: Math.min(a, b), max: Math.max(a, b) })),
    fc
      .uniqueArray(tokens, { minLength: 1, maxLength: 5 })
      .chain((values) =>
        fc.tuple(
          ...values.toSorted((a, b) => a - b).map((value) => fc.tuple(fc.constant(value), above0)),
        ),
      )
      .map((values) => ({
        kind: 'empirical' as const,
        values: values.map(([value, weight]) => ({ tokens: value, weight })),
      })),
  );
  const tokenizers = fc.constantFrom<NonNullable<RunSpec['target']['tokenizer']>>(
    { kind: 'gpt', vocabulary: 'gpt-4o' },
    { kind: 'file', path: 'models/llama/tokenizer.json' },
    { kind: 'file', path: 'tokenizer' },
  );
  return fc
    .record({
      name: fc.option(line),
      model: fc.option(line),
      body: fc.dictionary(fc.string({ unit: fc.constantFrom('a', 'b', ' ', ':') }), fc.jsonValue()),
      declare: fc.dictionary(fc.string(), fc.jsonValue()),
      input: length,
      output: length,
      rates: fc.array(above0, { minLength: 1, maxLength: 4 }),
      cv: above0,
      tokenizer: fc.option(tokenizers),
      durationNs: ns,
      seed: fc.tuple(fc.nat(), fc.nat(), fc.nat()),
    })
    .map(
      ({ name, model, body, tokenizer, declare, input, output, rates, cv, durationNs, seed }) => ({
        ...base,
        name,
        target: { ...base.target, model, tokenizer, body: plain(body) },
        workload: { kind: 'synthetic', input, output, prefix: { kind: 'unique' } },
        load: { kind: 'rate', ratesRps: rates, arrivals: { kind: 'gamma', cv } },
        durationNs,
        seeds: { arrivals: seed[0], lengths: seed[1], prompts: seed[2] },
        declare: plain(declare),
      }),
    );
}

/** Without -0, which JSON does not carry, and without `__proto__`, which no key may be called. */
function plain(value: Record<string, fc.JsonValue>): RunSpec['declare'] {
  return JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')) as RunSpec['declare'];
}

describe('hypothesis', () => {
  const withHypothesis = (expected: string): string =>
    `target: { url: 'http://127.0.0.1:1' }\nload: { rate: 1 }\nhypothesis:\n  change: graphs\n  expected: ${expected}\n`;

  test('is read with its expectations and written back', () => {
    const spec = parse(withHypothesis('p50(tpot) <= -5%, goodput >= +3%'));
    expect(spec.hypothesis).toEqual({
      change: 'graphs',
      bottleneck: null,
      expected: [
        { metric: 'p50(tpot)', relation: 'atMost', change: -0.05 },
        { metric: 'goodput', relation: 'atLeast', change: 0.03 },
      ],
    });
    expect(parse(runSpecYaml(spec))).toEqual(spec);
  });

  test('names the metrics there are when one cannot be read', () => {
    const parsed = parseRunSpec(withHypothesis('speed >= 3%'), {
      file: 'run.yaml',
      env: {},
      readFile: () => '',
    });
    const [problem] = 'problems' in parsed ? parsed.problems : [];
    expect(problem).toMatchObject({ code: 'E_CONFIG_VALUE', place: { line: 5, column: 13 } });
    expect(problem?.hint).toContain('p50(tpot)');
  });
});
