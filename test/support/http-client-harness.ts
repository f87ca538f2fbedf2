/** A client and one request, for tests against a server on loopback. */
import { expect } from 'vitest';
import { NS_PER_SECOND, createRealClock, type Clock } from '../../src/base/index.ts';
import {
  DEFAULT_CLIENT_LIMITS,
  createHttpClient,
  type ClientLimits,
  type HttpClient,
  type HttpClientOptions,
} from '../../src/client/index.ts';
import type { OutgoingRequest, SendResult } from '../../src/record/index.ts';
import { DIALECTS } from '../../src/wire/index.ts';

export interface ClientUnderTest extends Partial<Omit<HttpClientOptions, 'limits'>> {
  readonly limits?: Partial<ClientLimits>;
}

export function clientFor(url: string, options: ClientUnderTest = {}): HttpClient {
  return createHttpClient({
    url,
    dialect: DIALECTS.chat,
    clock: createRealClock(),
    wallNowMs: () => Date.UTC(2026, 0, 1),
    apiKey: null,
    keyHeader: 'authorization',
    headers: {},
    ca: null,
    clientCertificate: null,
    proxy: null,
    unixSocket: null,
    transport: 'fast',
    http2: false,
    tests: [],
    ...options,
    limits: { ...DEFAULT_CLIENT_LIMITS, ...options.limits },
  });
}

export interface RequestUnderTest extends Partial<OutgoingRequest> {
  readonly timeoutNs?: number;
}

export function requestOf(clock: Clock, options: RequestUnderTest = {}): OutgoingRequest {
  const streamed = options.streamed ?? true;
  return {
    requestId: 'request-0',
    body: { model: 'm', messages: [], stream: streamed },
    headers: {},
    streamed,
    deadlineNs: clock.nowNs() + (options.timeoutNs ?? 20 * NS_PER_SECOND),
    traceId: null,
    ...options,
  };
}

/** Sends one request over a client of its own, and checks what must hold of every result. */
export async function sendOnce(
  url: string,
  options: ClientUnderTest & RequestUnderTest & { readonly signal?: AbortSignal } = {},
): Promise<SendResult> {
  const clock = createRealClock();
  const client = clientFor(url, { clock, ...options });
  const { headers: _headers, ...request } = options;
  try {
    const signal = options.signal ?? new AbortController().signal;
    const result = await client.send(requestOf(clock, request), signal);
    expectConsistent(result);
    return result;
  } finally {
    client.close();
  }
}

/** Invariants of any result: ordered instants, equal columns, one meaning of done. */
export function expectConsistent(result: SendResult): void {
  const { timeline, end, dispatchedNs } = result;
  const { output } = timeline;
  const order = [
    dispatchedNs,
    timeline.connectedNs,
    timeline.tlsDoneNs,
    timeline.writtenNs,
    timeline.firstByteNs,
    timeline.firstEventNs,
    ...output.atNs,
    timeline.terminalNs,
    timeline.bodyEndNs,
  ].filter((instant) => instant !== null);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  for (const column of [output.kind, output.bytes, output.tokens, output.readId]) {
    expect(column).toHaveLength(output.atNs.length);
  }
  expect(output.readId).toEqual(output.readId.toSorted((a, b) => a - b));
  for (const [index, readId] of output.readId.entries()) {
    if (readId === output.readId[index - 1]) {
      expect(output.atNs[index]).toBe(output.atNs[index - 1]);
    }
  }
  expect(timeline.doneNs).toBe(timeline.terminalNs ?? timeline.bodyEndNs);
  if (end.kind === 'completed') {
    expect(timeline.doneNs).not.toBeNull();
    expect(output.atNs.length).toBeGreaterThan(0);
  }
  if (timeline.reused !== false) expect(timeline.tlsDoneNs).toBeNull();
}

/** The failure class of a failed result; what else it was when it did not fail. */
export function failureOf(result: SendResult): string {
  return result.end.kind === 'failed' ? result.end.failure : result.end.kind;
}
