import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { runSpecFromFlags, type FlagValues, type RunSpec } from '../config/index.ts';
import { planSchedule, type PromptSource } from '../workload/index.ts';
import { wholeRate, type K6Options } from './k6-options.ts';
import { k6Prompts, type K6Prompt } from './k6-prompts.ts';
import { k6Script } from './k6-script.ts';

const CANARY = 'sk-canary';

function specOf(flags: FlagValues): RunSpec {
  const parsed = runSpecFromFlags(
    { url: 'http://127.0.0.1:8000', model: 'm', ...flags },
    { env: { OPENAI_API_KEY: CANARY }, readFile: () => '' },
  );
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.spec;
}

const WORDS: K6Prompt = {
  kind: 'words',
  promptTokens: 100,
  sharedId: null,
  sharedTokens: 0,
  outputTokensMax: 64,
  priority: 0,
};

function scriptOf(flags: FlagValues, prompts: readonly K6Prompt[] = [WORDS]): string {
  const written = k6Script(specOf(flags), prompts);
  if ('problems' in written) throw new Error(JSON.stringify(written.problems));
  return written.script;
}

/** Files that are named, not read. */
const CERTIFICATE = { url: 'https://llm.example', cert: 'c.pem', certKey: 'k.pem' };

interface Sent {
  readonly url: string;
  readonly body: Record<string, unknown>;
  readonly params: { readonly headers: Record<string, string>; readonly timeout: string };
}

interface FakeRun {
  readonly options: K6Options;
  readonly sent: readonly Sent[];
  readonly completedMs: readonly number[];
  readonly failedCount: number;
}

/** Runs the script's default function with the k6 modules replaced by fakes. */
function runScript(
  script: string,
  run: {
    readonly iterations: number;
    readonly env?: object;
    readonly status?: number;
    readonly answer?: string;
  },
): FakeRun {
  const sent: Sent[] = [];
  const completedMs: number[] = [];
  let failedCount = 0;
  const scenario = { iterationInTest: 0 };
  const fakes = {
    exec: { scenario },
    http: {
      post(url: string, body: string, params: Sent['params']) {
        sent.push({ url, body: JSON.parse(body) as Sent['body'], params });
        return { status: run.status ?? 200, body: run.answer ?? 'data: {}\n\ndata: [DONE]\n\n' };
      },
    },
    check: (response: unknown, checks: Record<string, (value: unknown) => boolean>) =>
      Object.values(checks).every((passes) => passes(response)),
    Trend: class {
      add(ms: number): void {
        completedMs.push(ms);
      }
    },
    Counter: class {
      add(count: number): void {
        failedCount += count;
      }
    },
    __ENV: run.env ?? {},
  };
  const body = script
    .replace(/^import .*$/gm, '')
    .replace('export const options', 'const options')
    .replace('export default function ()', 'function iterate()');
  // eslint-disable-next-line typescript/no-implied-eval -- the script under test is our own output
  const make = new Function(...Object.keys(fakes), `${body}\nreturn { options, iterate };`) as (
    ...args: unknown[]
  ) => { readonly options: K6Options; readonly iterate: () => void };
  const { options, iterate } = make(...Object.values(fakes));
  for (let i = 0; i < run.iterations; i += 1) {
    scenario.iterationInTest = i;
    iterate();
  }
  return { options, sent, completedMs, failedCount };
}

describe('k6Script', () => {
  test('is a module that parses', () => {
    const odd: K6Prompt = {
      kind: 'text',
      text: '`${x}` */ \u2028 "</script>"',
      unique: true,
      outputTokensMax: 1,
    };
    const script = scriptOf({ rate: '2', name: 'a */ b' }, [odd]);
    const check = spawnSync(process.execPath, ['--input-type=module', '--check'], {
      input: script,
    });
    expect(check.stderr.toString()).toBe('');
    expect(check.status).toBe(0);
  });

  test('sends what the spec says, the mission’s body and headers', () => {
    const flags = {
      rate: '2',
      timeout: '10s',
      header: ['X-A: 1'],
      body: ['temperature=0'],
      exact: true,
    };
    const { sent } = runScript(scriptOf(flags), { iterations: 1 });
    expect(sent[0]).toMatchObject({
      url: 'http://127.0.0.1:8000/v1/chat/completions',
      params: {
        headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', 'X-A': '1' },
        timeout: '10000ms',
      },
      body: {
        model: 'm',
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: 64,
        min_tokens: 64,
        ignore_eos: true,
        temperature: 0,
        messages: [{ role: 'user', content: expect.any(String) }],
      },
    });
  });

  test('completions without a stream, under a path with a version', () => {
    const flags = { url: 'http://h/base/v2/', api: 'completions', stream: false, rate: '2' };
    const run = runScript(scriptOf(flags), { iterations: 1, answer: '{"choices":[]}' });
    expect(run.sent[0]?.url).toBe('http://h/base/v2/completions');
    expect(run.sent[0]?.body).toMatchObject({ prompt: expect.any(String), stream: false });
    expect(run.completedMs).toHaveLength(1);
  });

  test('the key comes from the environment of k6 and is not in the script', () => {
    const script = scriptOf({ rate: '2' });
    expect(script).not.toContain(CANARY);
    const env = { OPENAI_API_KEY: 'k' };
    expect(runScript(script, { iterations: 1, env }).sent[0]?.params.headers).toMatchObject({
      authorization: 'Bearer k',
    });
    const bare = scriptOf({ rate: '2', keyFile: 'f' });
    expect(runScript(bare, { iterations: 1 }).sent[0]?.params.headers).not.toHaveProperty(
      'authorization',
    );
    const named = scriptOf({ rate: '2', keyHeader: 'api-key' });
    expect(runScript(named, { iterations: 1, env }).sent[0]?.params.headers).toMatchObject({
      'api-key': 'k',
    });
    expect(bare).toContain('__ENV["GOODPUT_API_KEY"]');
  });

  test('takes the mix in turn, and no unique prompt starts like another', () => {
    const prompts: K6Prompt[] = [
      WORDS,
      { ...WORDS, promptTokens: 2000 },
      { ...WORDS, sharedId: 3, sharedTokens: 60 },
      { kind: 'text', text: 'as given', unique: false, outputTokensMax: null },
    ];
    const { sent } = runScript(scriptOf({ rate: '2' }, prompts), { iterations: 8 });
    const texts = sent.map(
      ({ body }) => (body['messages'] as { content: string }[])[0]?.content ?? '',
    );
    const words = (text: string | undefined): number => text?.split(' ').length ?? 0;
    expect(words(texts[1])).toBeGreaterThan(15 * words(texts[0]));
    expect(texts[0]?.slice(0, 20)).not.toBe(texts[4]?.slice(0, 20));
    const shared = (text: string | undefined): string =>
      text?.split(' ').slice(0, 60).join(' ') ?? '';
    expect(shared(texts[2])).toBe(shared(texts[6]));
    expect(texts[2]).not.toBe(texts[6]);
    expect([texts[3], texts[7]]).toEqual(['as given', 'as given']);
  });

  test('counts only whole answers as completed', () => {
    const script = scriptOf({ rate: '2' });
    const cut = runScript(script, { iterations: 2, answer: 'data: {"choices"' });
    expect([cut.completedMs.length, cut.failedCount]).toEqual([0, 2]);
    const refused = runScript(script, { iterations: 1, status: 429 });
    expect([refused.completedMs.length, refused.failedCount]).toEqual([0, 1]);
    expect(runScript(script, { iterations: 3 }).completedMs).toHaveLength(3);
  });

  test('the header says what it measures and what not', () => {
    const script = scriptOf({ rate: '2', warmup: '10s', name: 'demo' });
    for (const phrase of [
      'of the goodput spec demo',
      'http_req_waiting',
      'buffers',
      'evenly',
      'warm-up of 10s',
    ]) {
      expect(script.split('\nimport')[0]).toContain(phrase);
    }
  });

  test('sends the priority of a class, and none where there is none', () => {
    const prompts = [{ ...WORDS, priority: -1 }, WORDS];
    const { sent } = runScript(scriptOf({ rate: '2' }, prompts), { iterations: 2 });
    expect(sent.map(({ body }) => body['priority'])).toEqual([-1, undefined]);
  });

  test.each<[string, FlagValues, string]>([
    ['a closed loop', { concurrency: '4' }, 'E_UNSUPPORTED'],
    ['a replay', { trace: 'azure:f.csv' }, 'E_UNSUPPORTED'],
    ['no model', { rate: '2', model: undefined }, 'E_MODEL_MISSING'],
    ['another API', { rate: '2', api: 'anthropic' }, 'E_UNSUPPORTED'],
    ['a tokenizer', { rate: '2', tokenizer: 'o200k_base' }, 'E_UNSUPPORTED'],
    ['retries', { rate: '2', retry: '3' }, 'E_UNSUPPORTED'],
    ['a Unix socket', { rate: '2', unixSocket: '/run/llm.sock' }, 'E_UNSUPPORTED'],
    ['a client certificate', { ...CERTIFICATE, rate: '2' }, 'E_UNSUPPORTED'],
  ])('refuses %s', (_what, flags, code) => {
    expect(k6Script(specOf(flags), [WORDS])).toMatchObject({ problems: [{ code }] });
  });
});

describe('scenarios and thresholds', () => {
  test('one rate: bounded users, failures and dropped starts', () => {
    const flags = {
      rate: '2',
      duration: '30s',
      timeout: '10s',
      slo: 'success>=99.5%, p99(e2e)<=30s',
    };
    expect(runScript(scriptOf(flags), { iterations: 0 }).options).toEqual({
      scenarios: {
        point_1_rate_2: {
          executor: 'constant-arrival-rate',
          rate: 2,
          timeUnit: '1s',
          duration: '30000ms',
          startTime: '0ms',
          gracefulStop: '30000ms',
          preAllocatedVUs: 20,
          maxVUs: 20,
        },
      },
      thresholds: {
        http_req_failed: ['rate<0.005'],
        dropped_iterations: ['count==0'],
        completed_request_ms: ['p(99)<=30000'],
      },
    });
  });

  test('a sweep runs point after point, each with its own figures', () => {
    const flags = { rate: '2,0.5', duration: '10s', drain: '5s', maxInFlight: '8' };
    const { scenarios, thresholds } = runScript(scriptOf(flags), { iterations: 0 }).options;
    expect(Object.values(scenarios)).toMatchObject([
      { rate: 2, timeUnit: '1s', startTime: '0ms', maxVUs: 8 },
      { rate: 1, timeUnit: '2s', startTime: '15000ms', maxVUs: 8 },
    ]);
    expect(Object.keys(thresholds)).toContain('dropped_iterations{scenario:point_2_rate_0_5}');
  });

  test('an objective tells how many users to allocate: rate × time inside', () => {
    const flags = { rate: '4', slo: 'ttft<=1s, tpot<=10ms', output: '100' };
    const { scenarios } = runScript(scriptOf(flags), { iterations: 0 }).options;
    // 4/s × (1 s + 100 × 10 ms) = 8 in flight; at most 4/s × 600 s, under the ceiling of 1024.
    expect(Object.values(scenarios)[0]).toMatchObject({ preAllocatedVUs: 8, maxVUs: 1024 });
  });

  test.each([
    [2, 2, '1s'],
    [0.5, 1, '2s'],
    [2.5, 5, '2s'],
    [0.1, 1, '10s'],
    [1 / 3, 1, '3s'],
    [0.07, 7, '100s'],
    [0.0701234, 70_123, '1000000s'],
  ])('%f per second is %i per %s', (rateRps, rate, timeUnit) => {
    expect(wholeRate(rateRps)).toEqual({ rate, timeUnit });
  });
});

describe('k6Prompts', () => {
  test('takes the schedule’s own mix, in its order', () => {
    const source: PromptSource = {
      kind: 'synthetic',
      input: { kind: 'uniform', min: 10, max: 1000 },
      output: { kind: 'fixed', tokens: 5 },
      prefix: { kind: 'shared', tokens: 8, groups: 2 },
    };
    const { requests } = planSchedule({
      source,
      shape: {
        kind: 'rate',
        rateRps: 10,
        arrivals: { kind: 'constant' },
        durationNs: 10e9,
        maxRequests: null,
      },
      seeds: { arrivals: 1, lengths: 1, prompts: 1, text: 1 },
    });
    const prompts = k6Prompts(source, requests, 20);
    expect(prompts).toHaveLength(20);
    expect(prompts.map((prompt) => 'promptTokens' in prompt && prompt.promptTokens)).toEqual(
      requests.slice(0, 20).map(({ promptTokens }) => promptTokens),
    );
    expect(prompts[0]).toMatchObject({
      kind: 'words',
      sharedTokens: 8,
      outputTokensMax: 5,
      priority: 0,
    });
  });
});
