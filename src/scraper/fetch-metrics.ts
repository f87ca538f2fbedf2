/** One GET of one `/metrics`: never throws, never waits long, never follows a redirect. */
import { Agent, type Dispatcher } from 'undici';
import { type Clock, msFromNs, NS_PER_SECOND, printable } from '../base/index.ts';
import { knownLines } from '../telemetry/index.ts';

/** An engine that answers slower is busy; the next look will do. */
export const SCRAPE_TIMEOUT_NS = 3 * NS_PER_SECOND;
/** Far above any engine's; keeps a wrong address from filling memory. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

export interface MetricsAnswer {
  /** Lines of known families; `null` with a failure. */
  readonly text: string | null;
  /** `timeout`, `http 404`, `ECONNREFUSED`, `no metrics of a known engine`; `null` = none. */
  readonly failure: string | null;
}

/** Connections for metrics alone, so that no request waits behind a scrape. */
export function metricsAgent(ca: string | null): Agent {
  return new Agent({
    connections: 1,
    maxResponseSize: BODY_BYTES_MAX,
    connect: { timeout: msFromNs(SCRAPE_TIMEOUT_NS), ...(ca === null ? {} : { ca }) },
  });
}

/** Sends no key: `/metrics` may belong to somebody else than the API does. */
export async function fetchMetrics(
  agent: Dispatcher,
  url: string,
  clock: Clock,
): Promise<MetricsAnswer> {
  const { origin, pathname, search } = new URL(url);
  const deadline = new AbortController();
  const disarm = clock.at(clock.nowNs() + SCRAPE_TIMEOUT_NS, () => deadline.abort());
  try {
    const { statusCode, body } = await agent.request({
      origin,
      path: pathname + search,
      method: 'GET',
      headers: { accept: 'text/plain;version=0.0.4' },
      signal: deadline.signal,
    });
    if (statusCode !== 200) {
      await body.dump();
      return { text: null, failure: `http ${statusCode}` };
    }
    const known = await knownLinesOf(body);
    return known === ''
      ? { text: null, failure: 'no metrics of a known engine' }
      : { text: known, failure: null };
  } catch (error) {
    return { text: null, failure: deadline.signal.aborted ? 'timeout' : failureWord(error) };
  } finally {
    disarm();
  }
}

/** Piece by piece as it comes, so that no long page holds the sender up at once. */
async function knownLinesOf(body: AsyncIterable<Buffer>): Promise<string> {
  const decoder = new TextDecoder();
  let known = '';
  let rest = '';
  for await (const bytes of body) {
    const text = rest + decoder.decode(bytes, { stream: true });
    const whole = text.lastIndexOf('\n') + 1;
    known += knownLines(text.slice(0, whole));
    rest = text.slice(whole);
  }
  return known + knownLines(rest + decoder.decode());
}

function failureWord(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return printable(typeof code === 'string' ? code : String(message), 80);
}
