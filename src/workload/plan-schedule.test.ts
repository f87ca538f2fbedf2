import { describe, expect, test } from 'vitest';
import { ProblemsError } from '../base/index.ts';
import { MAX_SCHEDULED_REQUESTS, planSchedule } from './plan-schedule.ts';
import type { BodyEntry, LoadShape, PromptEntry, PromptSource, TraceRow } from './spec.ts';

const SEEDS = { arrivals: 1, lengths: 2, prompts: 3, text: 4 };

const SYNTHETIC: PromptSource = {
  kind: 'synthetic',
  input: { kind: 'uniform', min: 10, max: 100 },
  output: { kind: 'fixed', tokens: 20 },
  prefix: { kind: 'unique' },
};

function rate(overrides: Partial<Extract<LoadShape, { kind: 'rate' }>> = {}): LoadShape {
  return {
    kind: 'rate',
    rateRps: 4,
    arrivals: { kind: 'constant' },
    durationNs: 2e9,
    maxRequests: null,
    ...overrides,
  };
}

function row(atNs: number, overrides: Partial<TraceRow> = {}): TraceRow {
  return {
    atNs,
    promptTokens: 100,
    outputTokens: 10,
    blockIds: null,
    blockTokens: null,
    session: null,
    ...overrides,
  };
}

function trace(...rows: TraceRow[]): PromptSource {
  return { kind: 'trace', path: 'trace.csv', rows };
}

function replay(overrides: Partial<Extract<LoadShape, { kind: 'trace' }>> = {}): LoadShape {
  return {
    kind: 'trace',
    timeScale: 1,
    fromNs: 0,
    durationNs: 60e9,
    maxRequests: null,
    ...overrides,
  };
}

function prompts(count: number, order: 'sequential' | 'shuffled'): PromptSource {
  const entries = Array.from({ length: count }, (_, i): PromptEntry => ({
    text: `prompt ${i}`,
    promptTokens: i === 0 ? 30 : null,
    outputTokens: i === 0 ? 7 : null,
    label: i === 0 ? 'first' : null,
  }));
  const output = { kind: 'fixed', tokens: 20 } as const;
  return { kind: 'prompts', path: 'p.txt', entries, output, order, prefix: { kind: 'asGiven' } };
}

function plan(source: PromptSource, shape: LoadShape) {
  return planSchedule({ source, shape, seeds: SEEDS });
}

function atNs(source: PromptSource, shape: LoadShape): number[] {
  return plan(source, shape).requests.map(({ release }) =>
    release.kind === 'at' ? release.atNs : -1,
  );
}

function problemOf(source: PromptSource, shape: LoadShape): string | undefined {
  try {
    plan(source, shape);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    return error.problems[0]?.code;
  }
}

describe('open loop', () => {
  test('constant rate: rate × duration requests at absolute instants', () => {
    const schedule = plan(SYNTHETIC, rate());
    expect(atNs(SYNTHETIC, rate())).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((i) => i * 250e6));
    expect(schedule.requests.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(schedule).toMatchObject({ stopNs: 2e9, slots: null });
  });

  test('stopped by count, it ends where the next would be due: count/duration is the rate', () => {
    const schedule = plan(SYNTHETIC, rate({ maxRequests: 6 }));
    expect(schedule.requests).toHaveLength(6);
    expect(schedule.stopNs).toBe(1.5e9);
  });

  test('a count that is never reached does not move the end', () => {
    expect(plan(SYNTHETIC, rate({ maxRequests: 8 })).stopNs).toBe(2e9);
  });

  test('more than can be planned is a problem of the user, found before planning', () => {
    const tooMany = rate({ rateRps: MAX_SCHEDULED_REQUESTS, durationNs: 2e9 });
    expect(problemOf(SYNTHETIC, tooMany)).toBe('E_BUDGET_IMPOSSIBLE');
  });
});

describe('closed loop', () => {
  test('concurrency: one slot release a request', () => {
    const shape = { kind: 'concurrency', streams: 3, durationNs: 5e9, maxRequests: 7 } as const;
    const schedule = plan(SYNTHETIC, shape);
    expect(schedule.requests.map(({ release }) => release.kind)).toEqual(
      Array.from({ length: 7 }, () => 'slot'),
    );
    expect(schedule).toMatchObject({ slots: 3, stopNs: 5e9 });
  });

  test('users: interleaved chains, one session each', () => {
    const think = { kind: 'fixed', meanNs: 1e9 } as const;
    const shape = { kind: 'users', users: 2, think, durationNs: 5e9, maxRequests: 5 } as const;
    const { requests } = plan(SYNTHETIC, shape);
    expect(requests.map(({ release }) => release)).toEqual([
      { kind: 'after', index: null, thinkNs: expect.any(Number) },
      { kind: 'after', index: null, thinkNs: expect.any(Number) },
      { kind: 'after', index: 0, thinkNs: 1e9 },
      { kind: 'after', index: 1, thinkNs: 1e9 },
      { kind: 'after', index: 2, thinkNs: 1e9 },
    ]);
    expect(requests.map(({ session }) => session)).toEqual([
      'user-0',
      'user-1',
      'user-0',
      'user-1',
      'user-0',
    ]);
  });

  test('exponential think times have their mean', () => {
    const think = { kind: 'exponential', meanNs: 1e9 } as const;
    const shape = { kind: 'users', users: 5, think, durationNs: 5e9, maxRequests: 20_000 } as const;
    const thinks = plan(SYNTHETIC, shape).requests.map(({ release }) =>
      release.kind === 'after' ? release.thinkNs : Number.NaN,
    );
    const mean = thinks.reduce((sum, ns) => sum + ns, 0) / thinks.length;
    expect(Math.abs(mean / 1e9 - 1)).toBeLessThan(4 / Math.sqrt(20_000));
  });
});

describe('replay', () => {
  const rows = [row(0), row(10e9), row(10e9), row(30e9, { session: 's1' })];

  test('arrivals as they are, simultaneous ones too; ends just after the last', () => {
    expect(atNs(trace(...rows), replay())).toEqual([0, 10e9, 10e9, 30e9]);
    expect(plan(trace(...rows), replay()).stopNs).toBe(30e9 + 1);
  });

  test('time scale 10 is ten times as fast', () => {
    expect(atNs(trace(...rows), replay({ timeScale: 10 }))).toEqual([0, 1e9, 1e9, 3e9]);
  });

  test('an arrival just before the end of the window stays before it', () => {
    const source = trace(row(0), row(10e9 - 1), row(10e9));
    const schedule = plan(source, replay({ timeScale: 10, durationNs: 10e9 }));
    expect(schedule.requests.map(({ release }) => release)).toEqual([
      { kind: 'at', atNs: 0 },
      { kind: 'at', atNs: 1e9 - 1 },
    ]);
    expect(schedule.stopNs).toBe(1e9);
  });

  test('the window is in trace time, its start becomes 0, its end is open', () => {
    const shape = replay({ fromNs: 10e9, durationNs: 20e9, timeScale: 2 });
    expect(atNs(trace(...rows), shape)).toEqual([0, 0]);
    expect(plan(trace(...rows), shape).stopNs).toBe(10e9);
  });

  test('a count cuts within simultaneous arrivals and keeps what it took before the end', () => {
    const schedule = plan(trace(...rows), replay({ maxRequests: 2 }));
    expect(schedule.requests).toHaveLength(2);
    expect(schedule.stopNs).toBe(10e9 + 1);
  });

  test('lengths and session are those of the row that arrives', () => {
    const source = trace(...rows, row(40e9, { promptTokens: 7, outputTokens: 3, session: 's2' }));
    const { requests } = plan(source, replay({ fromNs: 30e9 }));
    expect(requests.map(({ session }) => session)).toEqual(['s1', 's2']);
    expect(requests[1]).toMatchObject({ promptTokens: 7, outputTokensMax: 3 });
  });

  test('raw bodies replay by their own instants', () => {
    const entry: BodyEntry = { body: { max_tokens: 9 }, headers: {}, atNs: 5e9, label: 'x' };
    const entries = [entry, { ...entry, atNs: 6e9, label: 'y' }];
    const source: PromptSource = { kind: 'bodies', path: 'b', entries, order: 'shuffled' };
    const { requests } = plan(source, replay({ fromNs: 6e9 }));
    expect(requests).toMatchObject([
      { release: { atNs: 0 }, prompt: { kind: 'body', entry: 1 }, class: 'y', outputTokensMax: 9 },
    ]);
    const holed: PromptSource = { ...source, entries: [entry, { ...entry, atNs: null }] };
    expect(problemOf(holed, replay())).toBe('E_CONFIG_CONFLICT');
  });

  test('what cannot be replayed is a problem of the user', () => {
    expect(problemOf(SYNTHETIC, replay())).toBe('E_CONFIG_CONFLICT');
    expect(problemOf(trace(row(0)), replay({ fromNs: 5e9 }))).toBe('E_CONFIG_VALUE');
  });
});

describe('sources', () => {
  test('entries in order, again from the start; own lengths before drawn ones', () => {
    const { requests } = plan(prompts(3, 'sequential'), rate());
    expect(requests.map(({ prompt }) => (prompt.kind === 'prompt' ? prompt.entry : -1))).toEqual([
      0, 1, 2, 0, 1, 2, 0, 1,
    ]);
    expect(requests[0]).toMatchObject({ promptTokens: 30, outputTokensMax: 7, class: 'first' });
    expect(requests[1]).toMatchObject({ promptTokens: null, outputTokensMax: 20, class: null });
  });

  test('shuffled uses every entry once a pass, in another order each pass', () => {
    const { requests } = plan(prompts(50, 'shuffled'), rate({ rateRps: 50 }));
    const used = requests.map(({ prompt }) => (prompt.kind === 'prompt' ? prompt.entry : -1));
    const passes = [used.slice(0, 50), used.slice(50)];
    for (const pass of passes) expect(new Set(pass).size).toBe(50);
    expect(passes[0]).not.toEqual(passes[1]);
    expect(passes[0]).not.toEqual(passes[0]?.toSorted((a, b) => a - b));
  });

  test('shared prefixes: the asked number of groups, never longer than the prompt', () => {
    const shared = { kind: 'shared', tokens: 50, groups: 3 } as const;
    const { requests } = plan({ ...SYNTHETIC, prefix: shared }, rate({ rateRps: 100 }));
    const recipes = requests.map(({ prompt }) => prompt);
    const ids = new Set<number | null>();
    for (const recipe of recipes) {
      if (recipe.kind !== 'synthetic') throw new Error('not synthetic');
      ids.add(recipe.sharedId);
      expect(recipe.sharedTokens).toBe(Math.min(50, recipe.tokens));
    }
    expect(ids).toEqual(new Set([0, 1, 2]));
  });

  test('blocks keep what is equal within a pass, share nothing with the next pass or run', () => {
    const source = trace(
      row(0, { blockIds: [0, 1], blockTokens: 512, promptTokens: 600 }),
      row(1, { blockIds: [0, 2], blockTokens: 512, promptTokens: 700 }),
    );
    const blocks = (text: number): readonly (readonly number[])[] =>
      planSchedule({
        source,
        shape: rate({ maxRequests: 4 }),
        seeds: { ...SEEDS, text },
      }).requests.map(({ prompt }) => (prompt.kind === 'blocks' ? prompt.blockIds : []));
    const [first, second, third, fourth] = blocks(7);
    expect(first?.[0]).toBe(second?.[0]);
    expect(first?.[1]).not.toBe(second?.[1]);
    expect(third?.[0]).toBe(fourth?.[0]);
    expect(third?.[0]).not.toBe(first?.[0]);
    expect(blocks(8)[0]?.[0]).not.toBe(first?.[0]);
  });

  test('policies that a source cannot keep are refused', () => {
    expect(problemOf({ ...SYNTHETIC, prefix: { kind: 'asGiven' } }, rate())).toBe(
      'E_CONFIG_CONFLICT',
    );
    const shared = { kind: 'shared', tokens: 5, groups: 1 } as const;
    const source = { ...prompts(1, 'sequential'), prefix: shared } as PromptSource;
    expect(problemOf(source, rate())).toBe('E_CONFIG_CONFLICT');
  });
});
