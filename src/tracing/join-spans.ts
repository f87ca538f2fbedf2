/** Which span belongs to which request: by trace, or by the id that the client sent. */
import type { RequestRecord } from '../record/index.ts';
import type { ServerSpan } from './server-span.ts';

/** A request and what its server said of it. */
export interface JoinedRequest {
  readonly record: RequestRecord;
  readonly span: ServerSpan;
}

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;

/**
 * Spans by the requests they may belong to. Servers log the client's request id bare (SGLang), with
 * a prefix (`chatcmpl-ID`) or a suffix too (`cmpl-ID-0`, vLLM), so the UUID within it counts.
 * Where several spans claim one request (a gateway's and an engine's), the one that knows more of
 * its inside is taken.
 */
export class SpanIndex {
  readonly #byTrace = new Map<string, ServerSpan>();
  readonly #byRequest = new Map<string, ServerSpan>();
  #size = 0;

  add(span: ServerSpan): void {
    this.#size += 1;
    if (span.traceId !== null) keepFuller(this.#byTrace, span.traceId, span);
    if (span.requestId !== null) {
      const id = UUID.exec(span.requestId)?.[0] ?? span.requestId;
      keepFuller(this.#byRequest, id.toLowerCase(), span);
    }
  }

  /** Spans added, joined or not. */
  get size(): number {
    return this.#size;
  }

  /** `null` = no span claims this request: it was not sampled, or never reached the server. */
  spanOf({ traceId, requestId }: RequestRecord): ServerSpan | null {
    const byTrace = traceId === null ? undefined : this.#byTrace.get(traceId.toLowerCase());
    return byTrace ?? this.#byRequest.get(requestId.toLowerCase()) ?? null;
  }
}

function keepFuller(spans: Map<string, ServerSpan>, key: string, span: ServerSpan): void {
  const known = spans.get(key);
  if (known === undefined || detailOf(span) > detailOf(known)) spans.set(key, span);
}

/** How many of its durations a span tells. */
function detailOf({ ttftNs, queueNs, prefillNs, decodeNs, e2eNs }: ServerSpan): number {
  return [ttftNs, queueNs, prefillNs, decodeNs, e2eNs].filter((ns) => ns !== null).length;
}
