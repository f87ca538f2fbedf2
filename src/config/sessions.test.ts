import { describe, expect, test } from 'vitest';
import { parseRunSpec, runSpecFromFlags, runSpecYaml, type FlagValues } from './index.ts';

const URL = 'http://127.0.0.1:8000';

function parsed(flags: FlagValues) {
  return runSpecFromFlags({ url: URL, ...flags }, { env: {}, readFile: () => '' });
}

function specOf(flags: FlagValues) {
  const result = parsed(flags);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.spec;
}

function messagesOf(flags: FlagValues): string[] {
  const result = parsed(flags);
  return 'problems' in result ? result.problems.map(({ message }) => message) : [];
}

const SESSIONS = { turns: 'uniform:2-6', sessionRate: '0.5,1', think: '5s' };

describe('a load of sessions', () => {
  test('comes from flags with its defaults', () => {
    const { workload, load } = specOf({
      ...SESSIONS,
      system: '2000=0.7,500=0.2',
      maxContext: '16k',
      history: 'answers',
    });
    expect(workload).toEqual({
      kind: 'sessions',
      turns: { kind: 'uniform', min: 2, max: 6 },
      input: { kind: 'fixed', tokens: 1024 },
      followUp: { kind: 'fixed', tokens: 128 },
      output: { kind: 'fixed', tokens: 128 },
      system: [
        { tokens: 2000, share: 0.7 },
        { tokens: 500, share: 0.2 },
      ],
      maxContextTokens: 16_000,
      history: 'answers',
    });
    expect(load).toEqual({
      kind: 'sessions',
      sessionsPerSecond: [0.5, 1],
      arrivals: { kind: 'poisson' },
      think: { kind: 'exponential', meanNs: 5e9 },
    });
  });

  test.each<[string, FlagValues]>([
    ['synthetic', { ...SESSIONS, system: '1000', maxContext: '8000', arrivals: 'gamma:2' }],
    [
      'conversations',
      { sharegpt: 'f.json', sessionRate: '1', think: 'fixed:1s', prefix: 'asGiven' },
    ],
    ['agents', { trace: 'sessions:f.ndjson', sessionRate: '1', history: 'answers' }],
    ['replayed', { trace: 'bailian:f.jsonl', maxContext: '8000' }],
  ])('reads back as it was written: %s', (_name, flags) => {
    const spec = specOf(flags);
    const again = parseRunSpec(runSpecYaml(spec), { file: 'r.yaml', env: {}, readFile: () => '' });
    expect(again).toEqual({ spec });
  });

  test('ShareGPT is single prompts at a rate, and conversations as sessions', () => {
    expect(specOf({ sharegpt: 'f.json', rate: '1' }).workload.kind).toBe('prompts');
    const { workload } = specOf({ sharegpt: 'f.json', sessionRate: '1', think: '1s' });
    expect(workload.kind).toBe('conversations');
  });

  test.each<[string, FlagValues, string]>([
    [
      'turns at a rate',
      { turns: '4', rate: '1' },
      '--turns makes sessions, which need a rate of their own',
    ],
    [
      'sessions of nothing',
      { sessionRate: '1', think: '1s' },
      '--session-rate needs sessions, and the workload has none',
    ],
    [
      'no thinking',
      { turns: '4', sessionRate: '1' },
      '--think is missing: people think between two turns',
    ],
    [
      'thinking in a trace',
      { trace: 'kvcache:f', sessionRate: '1', think: '1s' },
      '--think is not for a trace, which has its own waits',
    ],
    [
      'shares above all',
      { ...SESSIONS, system: '9=0.7,5=0.5' },
      '--system 9=0.7,5=0.5 is not a system prompt',
    ],
    [
      'a history of single prompts',
      { sharegpt: 'f.json', rate: '1', history: 'answers' },
      '--history is for sessions, and these are single prompts',
    ],
    [
      'a context of rows',
      { trace: 'azure:f', maxContext: '5' },
      '--max-context does not apply to a trace of format azure',
    ],
    [
      'a cut of sessions',
      { trace: 'sessions:f', maxInput: '5' },
      '--max-input does not apply to a trace of format sessions',
    ],
    ['an unknown trace', { trace: 'burst:f' }, '--trace burst:f is not a trace'],
    [
      'a prefix of sessions',
      { ...SESSIONS, prefix: 'unique' },
      '--prefix does not apply to --turns',
    ],
  ])('refuses %s', (_name, flags, message) => {
    expect(messagesOf(flags)).toEqual([message]);
  });
});
