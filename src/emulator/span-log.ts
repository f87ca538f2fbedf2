/**
 * The emulator's own traces: one OTLP/JSON export a line and a span for each finished request,
 * under the attribute names that vLLM uses, so that what reads a real engine's spans reads these.
 */
import { randomBytes } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { EnvironmentError, NS_PER_MS, secondsFromNs } from '../base/index.ts';
import type { AnsweredRequest } from './server-metrics.ts';

/** A finished request. Instants are on the emulator's monotonic clock. */
export interface ServedRequest extends AnsweredRequest {
  /** With the dialect's prefix, as vLLM logs it. */
  readonly requestId: string;
  /** The client's `traceparent`, if it sent one. */
  readonly traceparent: string | null;
  readonly model: string;
}

export interface SpanLog {
  add(served: ServedRequest): void;
  close(): Promise<void>;
}

/** `null` keeps none. Errors: EnvironmentError when the file cannot be written. */
export async function openSpanLog(path: string | null): Promise<SpanLog> {
  if (path === null) return { add: () => {}, close: () => Promise.resolve() };
  const file = createWriteStream(path);
  try {
    await once(file, 'open');
  } catch (cause) {
    const message = `cannot write the spans to ${path}`;
    throw new EnvironmentError({ code: 'E_FILE_WRITE', message, cause });
  }
  return new FileSpanLog(file);
}

class FileSpanLog implements SpanLog {
  readonly #file: WriteStream;
  /** Since 1970, at instant 0 of the monotonic clock. */
  readonly #originNs: bigint;

  constructor(file: WriteStream) {
    this.#file = file;
    this.#originNs = BigInt(Date.now()) * BigInt(NS_PER_MS) - process.hrtime.bigint();
  }

  add(served: ServedRequest): void {
    const { traceId, parentSpanId } = contextOf(served.traceparent);
    const span = {
      traceId,
      spanId: randomBytes(8).toString('hex'),
      ...(parentSpanId === null ? {} : { parentSpanId }),
      name: 'llm_request',
      kind: 2,
      startTimeUnixNano: this.#unixNano(served.arrivedNs),
      endTimeUnixNano: this.#unixNano(served.lastTokenNs),
      attributes: attributesOf(served),
      status: {},
    };
    const service = { key: 'service.name', value: { stringValue: 'goodput-emulator' } };
    const line = {
      resourceSpans: [{ resource: { attributes: [service] }, scopeSpans: [{ spans: [span] }] }],
    };
    this.#file.write(`${JSON.stringify(line)}\n`);
  }

  #unixNano(atNs: number): string {
    return String(this.#originNs + BigInt(Math.round(atNs)));
  }

  async close(): Promise<void> {
    if (this.#file.writableEnded) return;
    this.#file.end();
    await once(this.#file, 'close');
  }
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/** W3C Trace Context, section 3.2: version, trace id, parent id, flags. */
function contextOf(traceparent: string | null): { traceId: string; parentSpanId: string | null } {
  const [, traceId, parentSpanId] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  return traceId === undefined || parentSpanId === undefined
    ? { traceId: randomBytes(16).toString('hex'), parentSpanId: null }
    : { traceId, parentSpanId };
}

function attributesOf(served: ServedRequest): object[] {
  const { arrivedNs, startedNs, firstTokenNs, lastTokenNs } = served;
  const seconds = (name: string, ns: number) => ({
    key: `gen_ai.latency.${name}`,
    value: { doubleValue: secondsFromNs(ns) },
  });
  const count = (name: string, tokens: number) => ({
    key: `gen_ai.usage.${name}`,
    value: { intValue: String(tokens) },
  });
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  return [
    text('gen_ai.request.id', served.requestId),
    text('gen_ai.response.model', served.model),
    count('prompt_tokens', served.promptTokens),
    count('completion_tokens', served.outputTokens),
    seconds('time_in_queue', startedNs - arrivedNs),
    seconds('time_to_first_token', firstTokenNs - arrivedNs),
    seconds('time_in_model_prefill', firstTokenNs - startedNs),
    seconds('time_in_model_decode', lastTokenNs - firstTokenNs),
    seconds('e2e', lastTokenNs - arrivedNs),
  ];
}
