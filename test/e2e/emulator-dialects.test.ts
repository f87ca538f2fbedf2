/** Our client, in each dialect the emulator speaks, against the emulator. */
import { afterEach, describe, expect, test } from 'vitest';
import { startEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator/index.ts';
import { faultShare, NO_FAULTS } from '../../src/faults/index.ts';
import type { SendResult } from '../../src/record/index.ts';
import { DIALECTS, SERVED_DIALECT_NAMES, type ServedDialectName } from '../../src/wire/index.ts';
import { failureOf, sendOnce } from '../support/http-client-harness.ts';

let emulator: Emulator | null = null;

afterEach(async () => {
  await emulator?.close();
  emulator = null;
});

async function start(options: Partial<EmulatorOptions> = {}): Promise<Emulator> {
  emulator = await startEmulator({
    model: 'm',
    speedScale: 0.05,
    emissionLog: 'memory',
    ...options,
  });
  return emulator;
}

const TOKENS = 12;

/** Asks as a load test asks, with a limit of tokens that ends the answer. */
function ask(
  to: Emulator,
  name: ServedDialectName,
  { streamed = true, model = 'm' } = {},
): Promise<SendResult> {
  const dialect = DIALECTS[name];
  const body = dialect.buildBody({
    model,
    prompt: { kind: 'text', text: 'one two three' },
    maxTokens: TOKENS,
    maxTokensField: 'max_tokens',
    exactTokens: dialect.exactLength,
    stream: streamed,
    usage: 'final',
    extra: dialect.exactLength ? {} : { ignore_eos: true },
  });
  return sendOnce(to.url, { dialect, body, streamed });
}

const PROMPT_TOKENS = (name: ServedDialectName): number => (name === 'completions' ? 3 : 3 + 4);

describe.each(SERVED_DIALECT_NAMES)('%s', (name) => {
  test('a stream: every token, how it ended, what it used', async () => {
    const server = await start();
    const result = await ask(server, name);
    expect(failureOf(result)).toBe('completed');
    const { output, usage, finishReason, terminalNs, notes } = result.timeline;
    expect(notes).toEqual([]);
    expect(output.atNs).toHaveLength(TOKENS);
    expect(new Set(output.kind)).toEqual(new Set(['answer']));
    expect(usage).toMatchObject({ promptTokens: PROMPT_TOKENS(name), completionTokens: TOKENS });
    expect(finishReason).toBe('length');
    expect(terminalNs).not.toBeNull();
    expect(server.emissions()).toHaveLength(TOKENS);
  });

  test('a whole answer', async () => {
    const result = await ask(await start(), name, { streamed: false });
    expect(failureOf(result)).toBe('completed');
    const { usage, finishReason } = result.timeline;
    expect(usage).toMatchObject({ promptTokens: PROMPT_TOKENS(name), completionTokens: TOKENS });
    expect(finishReason).toBe('length');
  });

  test('a prompt that was cached', async () => {
    const server = await start({
      kvBlocks: 4_096,
      blockTokens: 1,
      maxModelTokens: 4_096,
      prefixCaching: true,
    });
    await ask(server, name);
    const { usage } = (await ask(server, name)).timeline;
    expect(usage?.promptTokens).toBe(PROMPT_TOKENS(name));
    // All of the prompt but its last token; Ollama does not tell.
    const cached = name.startsWith('ollama') ? null : PROMPT_TOKENS(name) - 1;
    expect(usage?.cachedPromptTokens).toBe(cached);
  });

  test('an error inside the stream, and one in its place, in its own words', async () => {
    const faults = { ...NO_FAULTS, rules: [faultShare('errorEvent', 1)] };
    const broken = await ask(await start({ faults }), name);
    expect(failureOf(broken)).toBe('serverError');
    expect(broken.timeline.output.atNs.length).toBeLessThan(TOKENS);
    await emulator?.close();
    const unknown = await ask(await start(), name, { model: 'other' });
    expect(failureOf(unknown)).toBe('httpStatus');
    expect(unknown.httpStatus).toBe(404);
  });

  test('cut before its end mark: truncated', async () => {
    const faults = { ...NO_FAULTS, rules: [faultShare('missingTerminator', 1)] };
    expect(failureOf(await ask(await start({ faults }), name))).toBe('truncated');
  });
});

describe('requests as other APIs write them', () => {
  const usageOf = async (path: string, body: object): Promise<unknown> => {
    const server = await start();
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', ...body }),
    });
    return response.json();
  };

  test('responses: instructions, and input as parts', async () => {
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'c d e' }] }];
    const body = { instructions: 'a b', input, max_output_tokens: 5, ignore_eos: true };
    expect(await usageOf('/v1/responses', body)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { input_tokens: 5 + 2 * 4, output_tokens: 5 },
    });
  });

  test('Anthropic: a system prompt of blocks', async () => {
    const body = {
      system: [{ type: 'text', text: 'a b' }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'c' }] }],
      max_tokens: 4,
      ignore_eos: true,
    };
    expect(await usageOf('/v1/messages', body)).toMatchObject({
      type: 'message',
      stop_reason: 'max_tokens',
      usage: { input_tokens: 3 + 2 * 4, output_tokens: 4 },
    });
    const { type, error } = (await usageOf('/v1/messages', { messages: 'a' })) as {
      type: string;
      error: { type: string };
    };
    expect([type, error.type]).toEqual(['error', 'invalid_request_error']);
  });

  test('Ollama: streams unless told not to, -1 leaves the length to the model', async () => {
    const server = await start();
    const post = (body: object): Promise<Response> =>
      fetch(`${server.url}/api/generate`, {
        method: 'POST',
        body: JSON.stringify({ model: 'm', prompt: 'hi', ...body }),
      });
    const streamed = await post({ options: { num_predict: 3 } });
    expect(streamed.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await streamed.text()).trimEnd().split('\n');
    expect(lines).toHaveLength(3 + 1);
    const whole = await post({ stream: false, options: { num_predict: -1 } });
    expect(await whole.json()).toMatchObject({ done: true, done_reason: 'stop' });
    const refused = await post({ model: 'x' });
    expect(await refused.json()).toEqual({ error: 'The model does not exist.' });
  });
});
