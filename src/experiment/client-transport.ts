import type { RunSpec } from '../config/index.ts';
import type { ClientTransport } from '../record/index.ts';

/** How a target is connected to, as far as a client's error depends on it. */
export function clientTransport({ url, transport, http2 }: RunSpec['target']): ClientTransport {
  return { name: transport, tls: /^https:/i.test(url), http2 };
}
