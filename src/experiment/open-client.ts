/** The client of a run, as its spec describes the target. */
import type { Clock } from '../base/index.ts';
import {
  createHttpClient,
  DEFAULT_CLIENT_LIMITS,
  type HttpClient,
  type HttpClientOptions,
} from '../client/index.ts';
import type { RunSpec } from '../config/index.ts';
import { DIALECTS } from '../wire/index.ts';
import { answerTests } from './answer-tests.ts';
import type { LocalTokenizer } from './local-tokenizer.ts';
import type { ExperimentPorts } from './run-experiment.ts';

/** A client for the spec's target, with the checks of its answers and what counts their tokens. */
export async function openClient(
  spec: Pick<RunSpec, 'target' | 'checks'>,
  ports: Pick<ExperimentPorts, 'wallNowMs' | 'readText' | 'apiKey'> & { readonly clock: Clock },
  tokenizer: LocalTokenizer | null = null,
): Promise<HttpClient> {
  const { target } = spec;
  return createHttpClient({
    url: target.url,
    dialect: DIALECTS[target.api],
    clock: ports.clock,
    wallNowMs: ports.wallNowMs,
    apiKey: ports.apiKey,
    keyHeader: target.apiKeyHeader,
    headers: target.headers,
    ca: target.caFile === null ? null : ports.readText(target.caFile),
    clientCertificate: certificateOf(target, ports.readText),
    proxy: target.proxy,
    unixSocket: target.unixSocket,
    transport: target.transport,
    http2: target.http2,
    limits: {
      ...DEFAULT_CLIENT_LIMITS,
      lineBytes: target.limits.lineBytes,
      responseBytes: target.limits.responseBytes,
      connectTimeoutNs: target.limits.connectTimeoutNs,
    },
    tests: await answerTests(spec.checks),
    counter: tokenizer?.counter ?? null,
  });
}

function certificateOf(
  { clientCertificate }: RunSpec['target'],
  readText: ExperimentPorts['readText'],
): HttpClientOptions['clientCertificate'] {
  if (clientCertificate === null) return null;
  const { certFile, keyFile } = clientCertificate;
  return { cert: readText(certFile), key: readText(keyFile) };
}
