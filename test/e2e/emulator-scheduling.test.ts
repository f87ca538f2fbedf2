/** The emulator's scheduler seen from outside: memory, priorities, prefix cache, queue timeout. */
import { createParser } from 'eventsource-parser';
import { afterEach, describe, expect, test } from 'vitest';
import { startEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator/index.ts';
import { parseMetrics } from '../../src/prometheus/index.ts';

let emulator: Emulator | null = null;

afterEach(async () => {
  await emulator?.close();
  emulator = null;
});

async function start(options: Partial<EmulatorOptions>): Promise<Emulator> {
  emulator = await startEmulator({ model: 'm', speedScale: 0.01, ...options });
  return emulator;
}

const words = (count: number, stem = 'word'): string =>
  Array.from({ length: count }, (_, at) => `${stem}${at}`).join(' ');

function ask(to: Emulator, body: Record<string, unknown>): Promise<Response> {
  const message = JSON.stringify({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    ignore_eos: true,
    ...body,
  });
  return fetch(`${to.url}/v1/chat/completions`, { method: 'POST', body: message });
}

interface Answer {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: {
    readonly prompt_tokens: number;
    readonly prompt_tokens_details?: { readonly cached_tokens: number };
  };
}

async function answer(to: Emulator, body: Record<string, unknown>): Promise<Answer> {
  return (await (await ask(to, { max_tokens: 40, ...body })).json()) as Answer;
}

async function metric(of: Emulator, name: string): Promise<number | undefined> {
  const { families } = parseMetrics(await (await fetch(`${of.url}/metrics`)).text());
  return families.find((family) => family.name === `vllm:${name}`)?.samples[0]?.value;
}

const MEMORY = { kvBlocks: 64, maxModelTokens: 1_000, prefixCaching: true };

describe('a prefix cache', () => {
  test('tells how much of a prompt it knew, and nobody else who asks with another salt', async () => {
    const server = await start(MEMORY);
    const messages = [{ role: 'user', content: words(100) }];
    const cached = async (body: Record<string, unknown>): Promise<number | undefined> =>
      (await answer(server, { messages, ...body })).usage.prompt_tokens_details?.cached_tokens;
    expect(await cached({})).toBe(0);
    // 104 tokens: six full blocks of 16.
    expect(await cached({})).toBe(96);
    expect(await cached({ cache_salt: 'tenant b' })).toBe(0);
    expect(await cached({ cache_salt: 'tenant b' })).toBe(96);
    expect(await metric(server, 'prefix_cache_queries_total')).toBe(4 * 104);
    expect(await metric(server, 'prefix_cache_hits_total')).toBe(2 * 96);
  });

  test('knows a conversation that goes on, its own answer included', async () => {
    const server = await start(MEMORY);
    const first = { role: 'user', content: words(20) };
    const reply = await answer(server, { messages: [first], max_tokens: 40 });
    const content = reply.choices[0]?.message.content;
    const next = { role: 'user', content: 'and then?' };
    const messages = [first, { role: 'assistant', content }, next];
    const { usage } = await answer(server, { messages });
    // 24 + 40 tokens, of which the last was never computed: three full blocks of 16.
    expect(usage).toMatchObject({
      prompt_tokens: 74,
      prompt_tokens_details: { cached_tokens: 48 },
    });
  });

  test('says nothing of cached tokens where there is none', async () => {
    const server = await start({ ...MEMORY, prefixCaching: false });
    expect((await answer(server, {})).usage.prompt_tokens_details).toBeUndefined();
    expect(await metric(server, 'prefix_cache_queries_total')).toBeUndefined();
    expect(await metric(server, 'kv_cache_usage_perc')).toBe(0);
  });
});

test('metrics tell the blocks, how many are used, and who was preempted', async () => {
  const server = await start({ kvBlocks: 20, maxModelTokens: 320, speedScale: 0.05 });
  const answers = Array.from({ length: 6 }, () => answer(server, { max_tokens: 200 }));
  let mostUsed = 0;
  while (server.stats().completed < 6) {
    mostUsed = Math.max(mostUsed, (await metric(server, 'kv_cache_usage_perc')) ?? 0);
  }
  await Promise.all(answers);
  expect(mostUsed).toBeGreaterThan(0);
  expect(mostUsed).toBeLessThanOrEqual(1);
  expect(await metric(server, 'kv_cache_usage_perc')).toBe(0);
  expect(await metric(server, 'num_preemptions_total')).toBeGreaterThan(0);
  const text = await (await fetch(`${server.url}/metrics`)).text();
  expect(text).toContain(
    'vllm:cache_config_info{engine="0",block_size="16",num_gpu_blocks="20",enable_prefix_caching="False"} 1',
  );
});

describe('priorities', () => {
  test('decide who goes first', async () => {
    const server = await start({ policy: 'priority', maxSequences: 1, speedScale: 0.2 });
    const order: string[] = [];
    const send = async (name: string, priority: number, tokens = 30): Promise<void> => {
      await answer(server, { priority, max_tokens: tokens });
      order.push(name);
    };
    // Long enough for the others to arrive meanwhile, on a busy machine too.
    const blocking = send('blocking', 0, 1_000);
    while (server.stats().running === 0) await metric(server, 'num_requests_running');
    const low = send('low', 5);
    while (server.stats().waiting < 1) await metric(server, 'num_requests_running');
    const high = send('high', 1);
    await Promise.all([blocking, low, high]);
    expect(order).toEqual(['blocking', 'high', 'low']);
  });

  test('are refused where the server does not schedule by them', async () => {
    const server = await start({});
    expect((await ask(server, { priority: 1 })).status).toBe(400);
    expect((await ask(server, { priority: 0, max_tokens: 1 })).status).toBe(200);
  });
});

test('who waits too long is turned away with 503, streamed or not; who was started is not', async () => {
  const server = await start({ maxSequences: 1, speedScale: 0.2, queueTimeoutNs: 1_000_000 });
  const first = ask(server, { max_tokens: 50, stream: true });
  while (server.stats().running === 0) await metric(server, 'num_requests_running');
  const [streamed, whole] = await Promise.all([
    ask(server, { max_tokens: 5, stream: true }),
    ask(server, { max_tokens: 5 }),
  ]);
  expect([streamed.status, whole.status]).toEqual([503, 503]);
  expect(streamed.headers.get('retry-after')).toBeNull();
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(data) });
  parser.feed(await (await first).text());
  expect(events.at(-1)).toBe('[DONE]');
  expect(server.stats()).toMatchObject({ completed: 1, rejected: 2 });
});
