/** The transport for what a client was asked to speak. */
import { ConnectionPool } from './connection-pool.ts';
import { FastConnection } from './fast-connection.ts';
import { Http2Sessions } from './http2-sessions.ts';
import type { ConnectionOptions, ConnectionSource, TransportName } from './transport.ts';
import { UndiciConnection } from './undici-connection.ts';

/** Opens nothing yet. HTTP/2 is what `options.alpn` says, and is always undici's. */
export function openConnections(
  transport: TransportName,
  options: ConnectionOptions,
): ConnectionSource {
  if (options.alpn === 'h2') return new Http2Sessions(options);
  return new ConnectionPool((onOpened) =>
    transport === 'fast'
      ? new FastConnection(options, onOpened)
      : new UndiciConnection(options, onOpened),
  );
}
