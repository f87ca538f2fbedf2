import { describe, expect, it } from 'vitest';
import { nsFromMs, nsFromSeconds } from '../base/index.ts';
import { parseRunSpec, runSpecFromFlags } from './parse-run-spec.ts';
import { runSpecYaml } from './run-spec-yaml.ts';
import type { RunSpec } from './run-spec.ts';
import type { FlagValues } from './written-flags.ts';

const CONTEXT = { env: {}, readFile: () => '' };
const BASE = { url: 'http://127.0.0.1:8000', rate: '2' };

function parsed(flags: FlagValues) {
  return runSpecFromFlags({ ...BASE, ...flags }, CONTEXT);
}

function specOf(flags: FlagValues): RunSpec {
  const read = parsed(flags);
  if ('problems' in read) throw new Error(read.problems[0]?.message);
  return read.spec;
}

function problemOf(flags: FlagValues): string {
  const read = parsed(flags);
  if (!('problems' in read)) return 'none';
  return read.problems.map(({ message, hint }) => `${message} / ${hint}`).join('; ');
}

describe('--retry', () => {
  it('is off unless asked for, and a number alone is the policy of the OpenAI clients', () => {
    expect(specOf({}).retry).toBeNull();
    expect(specOf({ retry: '3' }).retry).toEqual({
      attempts: 3,
      on: [408, 409, 429, '5xx', 'connect', 'timeout'],
      backoff: {
        baseNs: nsFromMs(500),
        factor: 2,
        maxNs: nsFromSeconds(8),
        jitterShare: 0.25,
      },
      honoursRetryAfter: true,
      deadlineNs: null,
      seed: 1,
    });
  });

  it('says all of a policy in one text', () => {
    const text =
      'attempts=5,on=429|4xx|answer,base=1s,factor=3,max=20s,jitter=1,retryAfter=false,deadline=30s,seed=9';
    expect(specOf({ retry: text }).retry).toEqual({
      attempts: 5,
      on: [429, '4xx', 'answer'],
      backoff: { baseNs: nsFromSeconds(1), factor: 3, maxNs: nsFromSeconds(20), jitterShare: 1 },
      honoursRetryAfter: false,
      deadlineNs: nsFromSeconds(30),
      seed: 9,
    });
  });

  it.each([
    ['attempts=1', '--retry attempts=1 '],
    ['on=200', 'is not an end of a try'],
    ['bse=1s', 'its names: attempts, on, retryAfter, deadline, seed, base, factor, max, jitter'],
    ['base=0s', 'is not above 0'],
    ['jitter=2', 'is above 1'],
  ])('is told what is wrong with %s', (retry, expected) => {
    expect(problemOf({ retry })).toContain(expected);
    expect(problemOf({ retry })).not.toContain('missing');
  });

  it('is written as keys that read back the same', () => {
    const spec = specOf({ retry: '4', quota: 'rpm=500,tpm=200k' });
    const read = parseRunSpec(runSpecYaml(spec), { ...CONTEXT, file: 'run.yaml' });
    if ('problems' in read) throw new Error(read.problems[0]?.message);
    expect(read.spec.retry).toEqual(spec.retry);
    expect(read.spec.target.quota).toEqual({
      requestsPerMinute: 500,
      tokensPerMinute: 200_000,
      concurrent: null,
    });
  });
});

describe('--quota', () => {
  it.each(['rps=5', '5', 'toString=5'])('names what it may say where %s is none of it', (quota) => {
    const name = quota.replace('=5', '');
    expect(problemOf({ quota })).toBe(
      `--quota ${quota} has no "${name}" / its names: rpm, tpm, concurrent`,
    );
  });

  it('makes its concurrency the ceiling, and refuses more', () => {
    expect(specOf({ quota: 'concurrent=40' }).budget.maxInFlight).toBe(40);
    expect(problemOf({ quota: 'concurrent=40', maxInFlight: '41' })).toContain(
      'is more than the 40',
    );
    const { rate: _, ...closed } = BASE;
    const read = runSpecFromFlags(
      { ...closed, concurrency: '64', quota: 'concurrent=40' },
      CONTEXT,
    );
    expect('problems' in read && read.problems[0]?.message).toContain('64 requests in flight');
  });
});
