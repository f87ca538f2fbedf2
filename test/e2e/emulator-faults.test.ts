/** Every fault the emulator can be told to make, and what our client makes of it. */
import { afterEach, describe, expect, test } from 'vitest';
import { nsFromMs } from '../../src/base/index.ts';
import { startEmulator, type Emulator } from '../../src/emulator/index.ts';
import { faultShare, NO_FAULTS, type FaultName, type FaultScript } from '../../src/faults/index.ts';
import type { SendResult } from '../../src/record/index.ts';
import { failureOf, sendOnce, type RequestUnderTest } from '../support/http-client-harness.ts';

let emulator: Emulator | null = null;

afterEach(async () => {
  await emulator?.close();
  emulator = null;
});

const TOKENS = 20;

const always = (name: FaultName, share = 1): FaultScript => ({
  ...NO_FAULTS,
  rules: [faultShare(name, share)],
});

async function meet(name: FaultName, options: RequestUnderTest = {}): Promise<SendResult> {
  await emulator?.close();
  const faults = always(name);
  emulator = await startEmulator({ model: 'm', speedScale: 0.1, faults });
  const streamed = options.streamed ?? true;
  const body = {
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    max_tokens: TOKENS,
    ignore_eos: true,
    stream: streamed,
    ...(streamed ? { stream_options: { include_usage: true } } : {}),
  };
  return sendOnce(emulator.url, { ...options, body });
}

describe('faults that delay or cut what arrives, and lose nothing', () => {
  test.each(['splitReads', 'bunching'] as const)(
    '%s: completed, all tokens there',
    async (kind) => {
      const result = await meet(kind);
      expect(failureOf(result)).toBe('completed');
      expect(result.timeline.output.atNs).toHaveLength(TOKENS);
      const reads = new Set(result.timeline.output.readId).size;
      if (kind === 'bunching') expect(reads).toBeLessThanOrEqual(Math.ceil((TOKENS + 1) / 8));
      expect(failureOf(await meet(kind, { streamed: false }))).toBe('completed');
    },
  );

  test('splitReads: events arrive in pieces', async () => {
    emulator = await startEmulator({ model: 'm', faults: always('splitReads') });
    const response = await fetch(`${emulator.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        max_tokens: TOKENS,
        ignore_eos: true,
        stream: true,
      }),
    });
    const decoder = new TextDecoder();
    const pieces: string[] = [];
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      pieces.push(decoder.decode(bytes));
    }
    expect(pieces.filter((piece) => !piece.endsWith('\n\n')).length).toBeGreaterThan(0);
    expect(pieces.join('').endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('stall: two events, then silence until the deadline', async () => {
    const result = await meet('stall', { timeoutNs: nsFromMs(500) });
    expect(failureOf(result)).toBe('timedOut');
    // The role and the first token.
    expect(result.timeline.output.atNs).toHaveLength(1);
  });

  test('stall: everything comes to who waits', async () => {
    const result = await meet('stall');
    expect(failureOf(result)).toBe('completed');
    expect(result.timeline.output.atNs).toHaveLength(TOKENS);
  });
});

describe('faults that end an answer', () => {
  test('reset in the middle of a stream: truncated, the output so far kept', async () => {
    const result = await meet('reset');
    expect(failureOf(result)).toBe('truncated');
    expect(result.timeline.output.atNs).toHaveLength(1);
    expect(emulator?.stats().completed).toBe(0);
    expect(failureOf(await meet('reset', { streamed: false }))).toBe('socket');
  });

  test('a stream without its end: truncated', async () => {
    const result = await meet('missingTerminator');
    expect(failureOf(result)).toBe('truncated');
    expect(result.timeline.output.atNs).toHaveLength(TOKENS - 1);
    expect(failureOf(await meet('missingTerminator', { streamed: false }))).toBe('truncated');
  });

  test('an error after 200: the server error it says it is', async () => {
    const result = await meet('errorEvent');
    expect(failureOf(result)).toBe('serverError');
    expect(result.httpStatus).toBe(200);
    expect(emulator?.stats()).toMatchObject({ running: 0, completed: 0 });
    expect(failureOf(await meet('errorEvent', { streamed: false }))).toBe('httpStatus');
  });

  test('a compressed body nobody asked for', async () => {
    expect(failureOf(await meet('gzip'))).toBe('contentEncoding');
    expect(failureOf(await meet('gzip', { streamed: false }))).toBe('contentEncoding');
  });

  test('no answer at all: timed out', async () => {
    const result = await meet('hang', { timeoutNs: nsFromMs(300) });
    expect(failureOf(result)).toBe('timedOut');
    expect(result.timeline.firstByteNs).toBeNull();
  });
});

test.each([
  { kind: 'quota429', status: 429, evidence: ['quota', 'rateLimit'], hasRetryAfter: true },
  { kind: 'bare429', status: 429, evidence: [], hasRetryAfter: false },
  { kind: 'bare503', status: 503, evidence: [], hasRetryAfter: false },
  { kind: 'retry503', status: 503, evidence: [], hasRetryAfter: true },
] as const)('$kind: refused, with the evidence it gives', async (refusal) => {
  const result = await meet(refusal.kind);
  expect(failureOf(result)).toBe('httpStatus');
  expect(result.httpStatus).toBe(refusal.status);
  const error = result.end.kind === 'failed' ? result.end.error : null;
  expect(error?.evidence).toEqual(refusal.evidence);
  expect(error?.retryAfterNs !== null).toBe(refusal.hasRetryAfter);
  expect(emulator?.stats()).toMatchObject({ rejected: 1, completed: 0 });
});

test('shares are drawn by seed: the same requests meet the same faults', async () => {
  const faults = always('bare503', 0.5);
  const statuses = async (seed: number): Promise<number[]> => {
    await emulator?.close();
    emulator = await startEmulator({ model: 'm', speedScale: 0.01, seed, faults });
    const all: number[] = [];
    for (let at = 0; at < 30; at += 1) {
      const messages = [{ role: 'user', content: 'hi' }];
      const response = await fetch(`${emulator.url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'm', messages, max_tokens: 1 }),
      });
      await response.text();
      all.push(response.status);
    }
    return all;
  };
  const first = await statuses(1);
  expect(await statuses(1)).toEqual(first);
  expect(await statuses(2)).not.toEqual(first);
  expect(first.filter((status) => status === 503).length).toBeGreaterThan(5);
  expect(first.filter((status) => status === 503).length).toBeLessThan(25);
});
