/** The emulator over real sockets. Everything asserted here is a count, an order or a planned instant. */
import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createParser } from 'eventsource-parser';
import { afterEach, describe, expect, test } from 'vitest';
import { EnvironmentError } from '../../src/base/index.ts';
import {
  emulatedEngineOptions,
  startEmulator,
  type Emulator,
  type EmulatorOptions,
} from '../../src/emulator/index.ts';
import { createEngine } from '../../src/engine/index.ts';
import { parseMetrics, readHistograms } from '../../src/prometheus/index.ts';
import { serveOnEngine } from '../support/serve-on-engine.ts';

let emulator: Emulator | null = null;

afterEach(async () => {
  await emulator?.close();
  emulator = null;
});

/** A fast one, a hundred times the pace of the real thing. */
async function start(options: Partial<EmulatorOptions> = {}): Promise<Emulator> {
  emulator = await startEmulator({
    model: 'm',
    speedScale: 0.01,
    emissionLog: 'memory',
    ...options,
  });
  return emulator;
}

interface Chunk {
  readonly object: string;
  readonly choices: readonly {
    readonly delta?: { readonly role?: string; readonly content?: string };
    readonly text?: string;
    readonly finish_reason: string | null;
  }[];
  readonly usage?: Readonly<Record<string, number>>;
}

const ask = (
  to: Emulator,
  body: Record<string, unknown>,
  { path = '/v1/chat/completions', headers = {}, signal = null as AbortSignal | null } = {},
): Promise<Response> =>
  fetch(`${to.url}${path}`, {
    method: 'POST',
    headers,
    signal,
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...body }),
  });

/** Chunks of a stream with the machine's clock at the moment each was read. */
async function readStream(
  response: Response,
): Promise<{ chunks: Chunk[]; readNs: number[]; done: boolean }> {
  const [chunks, readNs]: [Chunk[], number[]] = [[], []];
  let done = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') {
        done = true;
      } else {
        chunks.push(JSON.parse(data) as Chunk);
        readNs.push(Number(process.hrtime.bigint()));
      }
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    expect(done).toBe(false);
    parser.feed(decoder.decode(bytes, { stream: true }));
  }
  return { chunks, readNs, done };
}

const contentOf = (chunks: readonly Chunk[]): string[] =>
  chunks
    .map(({ choices: [choice] }) => choice?.delta?.content ?? choice?.text ?? '')
    .filter((content) => content !== '');

/** Waits for something that is bound to happen, turn by turn of the event loop. */
async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}

const EXACT = { stream: true, ignore_eos: true };

describe('a chat stream', () => {
  test('role first, one event per token, finish, usage, end mark', async () => {
    const server = await start();
    const response = await ask(server, {
      ...EXACT,
      max_tokens: 12,
      stream_options: { include_usage: true },
    });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const { chunks, done } = await readStream(response);
    expect(done).toBe(true);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    expect(contentOf(chunks)).toHaveLength(12);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('length');
    expect(chunks.at(-1)?.choices).toEqual([]);
    expect(chunks.at(-1)?.usage).toMatchObject({
      prompt_tokens: 5,
      completion_tokens: 12,
      total_tokens: 17,
    });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === undefined)).toBe(true);
  });

  test('usage in every event counts up by one', async () => {
    const streamOptions = { include_usage: true, continuous_usage_stats: true };
    const body = { ...EXACT, max_tokens: 4, stream_options: streamOptions };
    const { chunks } = await readStream(await ask(await start(), body));
    const counts = chunks.map((chunk) => chunk.usage?.['completion_tokens']);
    expect(counts).toEqual([0, 1, 2, 3, 4, 4, 4]);
  });

  test('a server without per-event usage ignores the wish; without a role there is none', async () => {
    const streamOptions = { include_usage: true, continuous_usage_stats: true };
    const server = await start({ perEventUsage: false, includeRole: false });
    const body = { ...EXACT, max_tokens: 3, stream_options: streamOptions };
    const { chunks } = await readStream(await ask(server, body));
    const withUsage = chunks.map((chunk) => chunk.usage !== undefined);
    expect(withUsage).toEqual([false, false, false, false, true]);
    expect(chunks[0]?.choices[0]?.delta?.role).toBeUndefined();
  });

  test('several tokens may share an event', async () => {
    const server = await start({ tokensPerEvent: 4 });
    const { chunks } = await readStream(await ask(server, { ...EXACT, max_tokens: 10 }));
    const words = contentOf(chunks).map((content) => content.trim().split(' ').length);
    expect(words).toEqual([4, 4, 2]);
    expect(server.emissions().map(({ tokens }) => tokens)).toEqual([4, 4, 2]);
  });
});

describe('other ways to ask', () => {
  test('completions stream text', async () => {
    const response = await ask(
      await start(),
      { ...EXACT, prompt: 'one two three', max_tokens: 6 },
      { path: '/v1/completions' },
    );
    const { chunks, done } = await readStream(response);
    expect(done).toBe(true);
    expect(chunks[0]?.object).toBe('text_completion');
    expect(contentOf(chunks)).toHaveLength(6);
  });

  test('without stream the answer is one body, and the same words', async () => {
    const server = await start();
    const streamed = await readStream(await ask(server, { ...EXACT, max_tokens: 9 }));
    const response = await ask(server, { ignore_eos: true, max_tokens: 9 });
    expect(response.headers.get('content-type')).toBe('application/json');
    const body = (await response.json()) as {
      choices: [{ message: { content: string }; finish_reason: string }];
      usage: Record<string, number>;
    };
    expect(body.choices[0].message.content).toBe(contentOf(streamed.chunks).join(''));
    expect(body.choices[0].finish_reason).toBe('length');
    expect(body.usage['completion_tokens']).toBe(9);
  });

  test('left to itself an answer ends with stop, alike each time', async () => {
    const server = await start();
    const [first, second] = [
      await readStream(await ask(server, { stream: true })),
      await readStream(await ask(server, { stream: true })),
    ];
    expect(first.chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(contentOf(second.chunks)).toEqual(contentOf(first.chunks));
  });

  test('health, version, models and tokenize', async () => {
    const server = await start({ maxModelTokens: 4_096 });
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect(await (await fetch(`${server.url}/version`)).json()).toHaveProperty('version');
    const models = (await (await fetch(`${server.url}/v1/models`)).json()) as {
      data: [{ id: string; max_model_len: number }];
    };
    expect(models.data[0]).toMatchObject({ id: 'm', max_model_len: 4_096 });
    for (const [body, count] of [
      [{ prompt: 'a b c', messages: undefined }, 3],
      [{ messages: [{ content: 'a b' }, { content: 'c' }] }, 11],
    ] as const) {
      const tokenized = (await (await ask(server, body, { path: '/tokenize' })).json()) as {
        count: number;
        tokens: number[];
      };
      expect(tokenized.count).toBe(count);
      expect(tokenized.tokens).toHaveLength(count);
    }
  });
});

describe('refusals', () => {
  const errorOf = async (response: Response): Promise<[number, string | null]> => {
    const { error } = (await response.json()) as { error: { code: string | null } };
    return [response.status, error.code];
  };

  test('what is wrong with the request', async () => {
    const server = await start({ maxModelTokens: 50 });
    const notJson = { method: 'POST', body: '{' };
    const badJson = await fetch(`${server.url}/v1/chat/completions`, notJson);
    expect(await errorOf(badJson)).toEqual([400, null]);
    expect(await errorOf(await ask(server, { model: 'x' }))).toEqual([404, 'model_not_found']);
    const tooLong = await ask(server, { max_tokens: 51 });
    expect(await errorOf(tooLong)).toEqual([400, 'context_length_exceeded']);
    expect(await errorOf(await fetch(`${server.url}/nowhere`))).toEqual([404, null]);
    const wrongMethod = await fetch(`${server.url}/v1/completions`);
    expect(wrongMethod.headers.get('allow')).toBe('POST');
    expect(await errorOf(wrongMethod)).toEqual([405, null]);
    expect(server.stats()).toMatchObject({ completed: 0, rejected: 0 });
  });

  test('a quota is enforced with evidence', async () => {
    const server = await start({ quota: { requests: 0.01, per: 'second' } });
    expect((await ask(server, { max_tokens: 1 })).status).toBe(200);
    const refused = await ask(server, { max_tokens: 1 });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(90);
    expect(await errorOf(refused)).toEqual([429, 'rate_limit_exceeded']);
    expect(server.stats().rejected).toBe(1);
  });

  test.each([
    ['overload', 503, null],
    ['quota', 429, 'rate_limit_exceeded'],
  ] as const)('a full queue shows as %s', async (queueFull, status, code) => {
    const server = await start({ maxSequences: 1, maxWaiting: 1, queueFull, speedScale: 1 });
    const leave = new AbortController();
    const body = { ...EXACT, max_tokens: 5_000 };
    await ask(server, body, { signal: leave.signal });
    await eventually(() => server.stats().running === 1);
    await ask(server, body, { signal: leave.signal });
    expect(await errorOf(await ask(server, body))).toEqual([status, code]);
    expect(server.stats()).toMatchObject({ running: 1, waiting: 1, rejected: 1 });
    leave.abort();
    await eventually(() => server.stats().cancelled === 2);
  });
});

describe('under load', () => {
  test('a client that goes away frees its place at once', async () => {
    const server = await start({ maxSequences: 1 });
    const leave = new AbortController();
    const response = await ask(server, { ...EXACT, max_tokens: 30_000 }, { signal: leave.signal });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    leave.abort();
    await eventually(() => server.stats().cancelled === 1);
    expect(server.stats().running).toBe(0);
    const next = await readStream(await ask(server, { ...EXACT, max_tokens: 3 }));
    expect(contentOf(next.chunks)).toHaveLength(3);
  });

  test('overload grows the queue, and first tokens come in order of arrival', async () => {
    const server = await start({ maxSequences: 2, speedScale: 0.5 });
    const answers = Array.from({ length: 12 }, async (_, at) =>
      readStream(
        await ask(server, { ...EXACT, max_tokens: 40 }, { headers: { 'x-request-id': `r${at}` } }),
      ),
    );
    await eventually(() => server.stats().waiting >= 5);
    for (const { chunks } of await Promise.all(answers)) expect(contentOf(chunks)).toHaveLength(40);
    expect(server.stats()).toMatchObject({
      running: 0,
      waiting: 0,
      completed: 12,
      promptTokens: 60,
      outputTokens: 480,
    });
    const firsts = server.emissions().filter(({ index }) => index === 0);
    expect(firsts).toHaveLength(12);
    const instants = firsts.map(({ plannedNs }) => plannedNs);
    expect(instants).toEqual(instants.toSorted((a, b) => a - b));
    expect(new Set(firsts.map(({ requestId }) => requestId)).size).toBe(12);
  });
});

describe('the emission log', () => {
  test('has every event, planned as a simulation has it, before the client saw it', async () => {
    const server = await start({ speedScale: 0.1 });
    const body = { ...EXACT, max_tokens: 30 };
    const { chunks, readNs } = await readStream(await ask(server, body));
    const emissions = server.emissions();
    expect(emissions.map(({ index }) => index)).toEqual(Array.from({ length: 30 }, (_, i) => i));

    const engine = createEngine(emulatedEngineOptions(server.options));
    const [simulatedNs] = serveOnEngine(engine, [{ atNs: 0, promptTokens: 5, outputTokens: 30 }]);
    const plannedNs = emissions.map((emission) => emission.plannedNs);
    const sinceFirst = (instants: readonly number[] = []): number[] =>
      instants.map((at) => at - (instants[0] as number));
    expect(sinceFirst(plannedNs)).toEqual(sinceFirst(simulatedNs));

    const seenNs = readNs.filter((_, at) => contentOf(chunks.slice(at, at + 1)).length === 1);
    for (const [at, { emittedNs, plannedNs: dueNs }] of emissions.entries()) {
      expect(emittedNs).toBeGreaterThanOrEqual(dueNs);
      expect(seenNs[at]).toBeGreaterThanOrEqual(emittedNs);
    }
    const { steps, events, behindNs } = server.lateness();
    expect([steps.count, events.count, behindNs]).toEqual([30, 30, 0]);
    expect(events.maxNs).toBe(Math.max(...emissions.map((e) => e.emittedNs - e.plannedNs)));
  });

  test('may go to a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'emission-log-'));
    const path = join(folder, 'log.ndjson');
    const server = await start({ emissionLog: { path } });
    await readStream(await ask(server, { ...EXACT, max_tokens: 7 }));
    await server.close();
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    rmSync(folder, { recursive: true });
    expect(lines.map((line) => (JSON.parse(line) as { index: number }).index)).toEqual([
      0, 1, 2, 3, 4, 5, 6,
    ]);
    await expect(start({ emissionLog: { path: join(folder, 'gone', 'log') } })).rejects.toThrow(
      EnvironmentError,
    );
  });
});

test('metrics carry vLLM names and agree with the answers', async () => {
  const server = await start();
  await readStream(await ask(server, { ...EXACT, max_tokens: 8 }));
  await (await ask(server, { ignore_eos: true, max_tokens: 1 })).json();
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const { families, malformedLines } = parseMetrics(text);
  expect(malformedLines).toEqual([]);
  const value = (name: string, reason?: string): number | undefined =>
    families
      .find((family) => family.name === name)
      ?.samples.find(({ labels }) => reason === undefined || labels['finished_reason'] === reason)
      ?.value;
  expect(value('vllm:num_requests_running')).toBe(0);
  expect(value('vllm:num_requests_waiting')).toBe(0);
  expect(value('vllm:prompt_tokens_total')).toBe(10);
  expect(value('vllm:generation_tokens_total')).toBe(9);
  expect(value('vllm:request_success_total', 'length')).toBe(2);
  expect(value('vllm:request_success_total', 'stop')).toBe(0);
  const counts = families
    .filter((family) => family.type === 'histogram')
    .map((family) => [family.name, readHistograms(family)[0]?.count]);
  expect(counts).toEqual([
    ['vllm:time_to_first_token_seconds', 2],
    ['vllm:inter_token_latency_seconds', 7],
    ['vllm:request_time_per_output_token_seconds', 1],
    ['vllm:request_queue_time_seconds', 2],
    ['vllm:request_inference_time_seconds', 2],
    ['vllm:request_prefill_time_seconds', 2],
    ['vllm:request_decode_time_seconds', 2],
    ['vllm:e2e_request_latency_seconds', 2],
    ['vllm:iteration_tokens_total', 9],
    ['vllm:request_prompt_tokens', 2],
    ['vllm:request_generation_tokens', 2],
    ['vllm:request_params_max_tokens', 2],
  ]);
  const sumOf = (name: string): number | null | undefined => {
    const family = families.find((one) => one.name === name);
    return family && readHistograms(family)[0]?.sum;
  };
  // Two prompts of 5 tokens, and every output token but the last of each is computed too.
  expect(sumOf('vllm:iteration_tokens_total')).toBe(10 + 7);
  expect(sumOf('vllm:request_prompt_tokens')).toBe(10);
  expect(sumOf('vllm:request_generation_tokens')).toBe(9);
  expect(sumOf('vllm:request_params_max_tokens')).toBe(9);
  const seconds = ['queue_time', 'prefill_time', 'decode_time'].map(
    (phase) => sumOf(`vllm:request_${phase}_seconds`) ?? Number.NaN,
  );
  const wholeSeconds = sumOf('vllm:e2e_request_latency_seconds') ?? Number.NaN;
  expect(seconds.reduce((sum, part) => sum + part)).toBeCloseTo(wholeSeconds, 9);
  const lengthFamily = families.find((one) => one.name === 'vllm:request_prompt_tokens');
  const edges = lengthFamily && readHistograms(lengthFamily)[0]?.buckets.map((b) => b.upperEdge);
  expect(edges?.slice(0, 5)).toEqual([1, 2, 5, 10, 20]);
  // Up to the longest context, 32,768.
  expect(edges?.slice(-2)).toEqual([20_000, Number.POSITIVE_INFINITY]);
});

test('a port in use is a problem of the environment', async () => {
  const server = await start();
  await expect(startEmulator({ port: server.port })).rejects.toThrow(EnvironmentError);
});
