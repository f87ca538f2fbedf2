/** Our client as benches use it, and what they ask the emulator for. */
import type { Clock } from '../../src/base/index.ts';
import {
  createHttpClient,
  DEFAULT_CLIENT_LIMITS,
  type HttpClient,
  type HttpClientOptions,
} from '../../src/client/index.ts';
import { DIALECTS } from '../../src/wire/index.ts';

/** Speaks chat to `url` without key, checks or proxy. */
export function chatClient(
  url: string,
  clock: Clock,
  { transport, ca }: Pick<HttpClientOptions, 'transport' | 'ca'> = { transport: 'fast', ca: null },
): HttpClient {
  return createHttpClient({
    url,
    dialect: DIALECTS.chat,
    clock,
    wallNowMs: () => 0,
    apiKey: null,
    keyHeader: 'authorization',
    headers: {},
    ca,
    clientCertificate: null,
    proxy: null,
    unixSocket: null,
    transport,
    http2: false,
    limits: DEFAULT_CLIENT_LIMITS,
    tests: [],
  });
}

/** A streamed answer of exactly so many tokens, each with its usage. */
export function chatBody(outputTokens: number) {
  return {
    model: 'emulated-70b',
    messages: [{ role: 'user', content: 'go on' }],
    max_tokens: outputTokens,
    min_tokens: outputTokens,
    ignore_eos: true,
    stream: true,
    stream_options: { include_usage: true, continuous_usage_stats: true },
  };
}
