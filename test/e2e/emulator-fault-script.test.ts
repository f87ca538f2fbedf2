/** Faults with parameters, rules, slow stretches and restarts: what a client sees of them. */
import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { NS_PER_MS, NS_PER_SECOND } from '../../src/base/index.ts';
import { parseFaultScript } from '../../src/config/index.ts';
import { startEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator/index.ts';
import { ANY_REQUEST, NO_FAULTS, type Fault, type FaultRule } from '../../src/faults/index.ts';
import type { SendResult } from '../../src/record/index.ts';
import { REPOSITORY } from '../tidy/rooms.ts';
import { failureOf, sendOnce, type RequestUnderTest } from '../support/http-client-harness.ts';

let emulator: Emulator | null = null;

afterEach(async () => {
  await emulator?.close();
  emulator = null;
});

const TOKENS = 20;

async function start(options: Partial<EmulatorOptions>): Promise<Emulator> {
  await emulator?.close();
  emulator = await startEmulator({
    model: 'm',
    speedScale: 0.1,
    emissionLog: 'memory',
    ...options,
  });
  return emulator;
}

const always = (fault: Fault): Partial<EmulatorOptions> => ({ faults: ruled([{ fault }]) });

function ruled(rules: readonly (Partial<FaultRule> & { readonly fault: Fault })[]) {
  return {
    ...NO_FAULTS,
    rules: rules.map((rule): FaultRule => ({
      name: rule.fault.kind,
      match: ANY_REQUEST,
      pick: { kind: 'all' },
      ...rule,
    })),
  };
}

const bodyOf = (streamed = true, tokens = TOKENS) => ({
  model: 'm',
  messages: [{ role: 'user', content: 'hi' }],
  max_tokens: tokens,
  ignore_eos: true,
  stream: streamed,
  ...(streamed ? { stream_options: { include_usage: true } } : {}),
});

function ask(to: Emulator, options: RequestUnderTest = {}, tokens = TOKENS): Promise<SendResult> {
  return sendOnce(to.url, { ...options, body: bodyOf(options.streamed, tokens) });
}

async function chunksOf(to: Emulator): Promise<readonly string[]> {
  const response = await fetch(`${to.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(bodyOf()),
  });
  return (await response.text()).split('\n\n').filter((event) => event !== '');
}

/** Everything the server sends on a connection of its own, in the pieces in which it came. */
async function rawReads(to: Emulator): Promise<readonly Buffer[]> {
  const socket = connect(to.port, '127.0.0.1');
  const json = JSON.stringify(bodyOf(true, 2));
  socket.write(
    'POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\nconnection: close\r\n' +
      `content-length: ${json.length}\r\n\r\n${json}`,
  );
  const reads: Buffer[] = [];
  socket.on('data', (bytes) => reads.push(bytes));
  await once(socket, 'close');
  return reads;
}

describe('another rhythm', () => {
  test('splitReads: pieces of so many bytes, and all of them', async () => {
    const reads = await rawReads(await start(always({ kind: 'splitReads', pieceBytes: 7 })));
    const text = Buffer.concat(reads).toString();
    const sizes = [...text.matchAll(/\r\n([0-9a-f]+)\r\n/g)].map(([, hex = '']) =>
      parseInt(hex, 16),
    );
    expect(sizes.filter((bytes) => bytes === 7).length).toBeGreaterThan(20);
    expect(Math.max(...sizes)).toBe(7);
    const plain = await ask(emulator as Emulator);
    expect(failureOf(plain)).toBe('completed');
    expect(plain.timeline.output.atNs).toHaveLength(TOKENS);
  });

  test('bunching by interval: several events a read, none lost', async () => {
    const gather = { kind: 'interval', intervalNs: 40 * NS_PER_MS } as const;
    const result = await ask(
      await start({ ...always({ kind: 'bunching', gather }), speedScale: 1 }),
    );
    expect(failureOf(result)).toBe('completed');
    const { atNs, readId } = result.timeline.output;
    expect(atNs).toHaveLength(TOKENS);
    expect(new Set(readId).size).toBeLessThanOrEqual(TOKENS / 2);
  });

  test('stall: after as many events as the rule says, whole answers too', async () => {
    const fault = { kind: 'stall', afterEvents: 5, forNs: NS_PER_SECOND } as const;
    const server = await start(always(fault));
    const result = await ask(server, { timeoutNs: 500 * NS_PER_MS });
    expect(failureOf(result)).toBe('timedOut');
    // The role and four tokens.
    expect(result.timeline.output.atNs).toHaveLength(4);
    const whole = await ask(server, { streamed: false, timeoutNs: 500 * NS_PER_MS });
    expect(failureOf(whole)).toBe('timedOut');
  });

  test.each([true, false])(
    'slowLoris: no faster than its pace (streamed: %s)',
    async (streamed) => {
      const bytesPerSecond = 2_000;
      const server = await start(always({ kind: 'slowLoris', bytesPerSecond }));
      const result = await ask(server, { streamed }, 2);
      expect(failureOf(result)).toBe('completed');
      const { firstByteNs, bodyEndNs } = result.timeline;
      const ns = (bodyEndNs as number) - (firstByteNs as number);
      // The shorter of both bodies has more than 200 bytes.
      expect(ns).toBeGreaterThan((200 / bytesPerSecond) * NS_PER_SECOND * 0.5);
    },
  );

  test('lateUsage: the finish reason, and the usage long after it', async () => {
    const byNs = 300 * NS_PER_MS;
    const result = await ask(await start(always({ kind: 'lateUsage', byNs })));
    expect(failureOf(result)).toBe('completed');
    const { finishNs, usageAtNs } = result.timeline;
    // Timers may be a millisecond early.
    expect((usageAtNs as number) - (finishNs as number)).toBeGreaterThan(byNs - 2 * NS_PER_MS);
    expect(result.timeline.output.atNs).toHaveLength(TOKENS);
  });
});

describe('other events', () => {
  test('roleOnly: deltas without output come first and are none', async () => {
    const server = await start(always({ kind: 'roleOnly', deltas: 3 }));
    const chunks = await chunksOf(server);
    const roles = chunks.map((chunk) =>
      chunk.includes('"delta":{"role":"assistant","content":""}'),
    );
    expect(roles.lastIndexOf(true)).toBe(3);
    const result = await ask(server);
    expect(result.timeline.output.atNs).toHaveLength(TOKENS);
  });

  test('roleOnly: in completions, which have no role, empty texts', async () => {
    const server = await start(always({ kind: 'roleOnly', deltas: 2 }));
    const response = await fetch(`${server.url}/v1/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', prompt: 'hi', max_tokens: 2, stream: true }),
    });
    expect((await response.text()).split('"text":""')).toHaveLength(2 + 1 + 1);
  });

  test('multiToken: chunks of several tokens for who meets it', async () => {
    const server = await start({
      faults: ruled([
        {
          fault: { kind: 'multiToken', tokens: 8 },
          match: { ...ANY_REQUEST, firstRequest: 2 },
        },
      ]),
    });
    expect((await ask(server)).timeline.output.atNs).toHaveLength(TOKENS);
    expect((await ask(server)).timeline.output.atNs).toHaveLength(3);
    expect(
      server
        .emissions()
        .slice(TOKENS)
        .map(({ tokens }) => tokens),
    ).toEqual([8, 8, 4]);
  });

  test('errorEvent: after so many events, with the error it is told to be', async () => {
    const fault = {
      kind: 'errorEvent',
      afterEvents: 4,
      message: 'Rate limit reached.',
      type: 'requests',
      code: 'rate_limit_exceeded',
    } as const;
    const result = await ask(await start(always(fault)));
    expect(failureOf(result)).toBe('serverError');
    expect(result.timeline.output.atNs).toHaveLength(3);
    const error = result.end.kind === 'failed' ? result.end.error : null;
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', evidence: ['rateLimit'] });
  });

  test('reset: at once, before any event', async () => {
    const result = await ask(await start(always({ kind: 'reset', afterEvents: 0 })));
    expect(failureOf(result)).toBe('truncated');
    expect(result.timeline.output.atNs).toHaveLength(0);
  });

  test('refuse: the status, the headers and the body it is told', async () => {
    const fault = {
      kind: 'refuse',
      status: 429,
      type: 'requests',
      code: null,
      message: 'Slow down.',
      headers: { 'retry-after': '7', 'x-ratelimit-remaining-requests': '0' },
    } as const;
    const server = await start(always(fault));
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(bodyOf()),
    });
    expect(response.status).toBe(429);
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(await response.json()).toMatchObject({ error: { message: 'Slow down.' } });
    const result = await ask(server);
    const error = result.end.kind === 'failed' ? result.end.error : null;
    expect(error).toMatchObject({ httpStatus: 429, retryAfterNs: 7 * NS_PER_SECOND });
  });
});

test('the log says which requests met what', async () => {
  const server = await start({
    faults: ruled([
      {
        name: 'every third',
        fault: { kind: 'refuse', status: 503, type: 't', code: null, message: 'm', headers: {} },
        pick: { kind: 'every', n: 3 },
      },
      { fault: { kind: 'gzip' }, match: { ...ANY_REQUEST, streamed: false } },
    ]),
  });
  const ends: string[] = [];
  for (let number = 1; number <= 6; number += 1) {
    const streamed = number !== 4;
    ends.push(failureOf(await ask(server, { streamed, requestId: `r${number}` })));
  }
  const refused = 'httpStatus';
  const fine = 'completed';
  expect(ends).toEqual([fine, fine, refused, 'contentEncoding', fine, refused]);
  expect(server.faultsMet()).toEqual([
    { requestId: 'r3', fault: 'every third', kind: 'refuse' },
    { requestId: 'r4', fault: 'gzip', kind: 'gzip' },
    { requestId: 'r6', fault: 'every third', kind: 'refuse' },
  ]);
});

test('slow steps: the plan itself is slower, by the factor', async () => {
  const gapsOf = async (factor: number): Promise<readonly number[]> => {
    const slowSteps = [{ fromNs: 0, toNs: null, factor }];
    const server = await start({ faults: { ...NO_FAULTS, slowSteps } });
    await ask(server);
    const planned = server.emissions().map(({ plannedNs }) => plannedNs);
    return planned.slice(1).map((ns, at) => ns - (planned[at] as number));
  };
  const usual = await gapsOf(1);
  const slow = await gapsOf(3);
  // Instants of this clock are doubles beyond 2⁵³ ns after 104 days.
  for (const [at, ns] of slow.entries()) expect(ns / (usual[at] as number)).toBeCloseTo(3, 3);
});

test('a restart: streams cut, connections refused, then a cold engine', async () => {
  const restarts = [{ fromNs: 500 * NS_PER_MS, toNs: 1_500 * NS_PER_MS }];
  const server = await start({ speedScale: 1, faults: { ...NO_FAULTS, restarts } });
  const cut = await ask(server, {}, 5_000);
  expect(failureOf(cut)).toBe('truncated');
  expect(cut.timeline.output.atNs.length).toBeGreaterThan(0);
  expect(failureOf(await ask(server))).toBe('connect');
  expect(server.stats()).toMatchObject({ running: 0, waiting: 0, completed: 0 });
  let again = await ask(server);
  while (failureOf(again) === 'connect') again = await ask(server);
  expect(failureOf(again)).toBe('completed');
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toMatch(new RegExp(`^vllm:generation_tokens_total\\{.*\\} ${TOKENS}$`, 'm'));
  // What was done before the crash is not forgotten by the emulator itself.
  expect(server.stats().outputTokens).toBeGreaterThan(TOKENS);
});

test('the example is a script', () => {
  const file = 'examples/faults.yaml';
  const text = readFileSync(join(REPOSITORY, file), 'utf8');
  const parsed = parseFaultScript(text, { file, env: {} });
  expect(parsed).toMatchObject({ script: { slowSteps: [{ factor: 3 }], restarts: [{}] } });
});

test('a server that is down can be closed', async () => {
  const restarts = [{ fromNs: 1, toNs: 3_600 * NS_PER_SECOND }];
  const server = await start({ faults: { ...NO_FAULTS, restarts } });
  while (failureOf(await ask(server)) !== 'connect');
  await server.close();
  emulator = null;
});
