/** A server that speaks whatever bytes a test tells it to, over plain TCP on loopback. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

export interface HostileServer {
  readonly port: number;
  readonly url: string;
  /** Whole requests as received, head and body. */
  readonly requests: readonly string[];
  /** Connections accepted so far. */
  readonly connectionCount: () => number;
  close(): Promise<void>;
}

/** Called with each whole request; writes what it likes. `index` counts requests from 0. */
export type Answer = (socket: Socket, request: string, index: number) => void;

export async function startHostileServer(
  answer: Answer,
  tls: { readonly key: string; readonly cert: string } | null = null,
  onConnection: (socket: Socket) => void = () => {},
): Promise<HostileServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connectionCount = 0;
  const onSocket = (socket: Socket): void => {
    connectionCount += 1;
    sockets.add(socket);
    onConnection(socket);
    let received = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      const length = requestLength(received);
      if (length === null || received.length < length) return;
      const request = received.slice(0, length);
      received = received.slice(length);
      requests.push(request);
      answer(socket, request, requests.length - 1);
    });
  };
  const server: Server = tls === null ? createServer(onSocket) : createTlsServer(tls, onSocket);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${tls === null ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    connectionCount: () => connectionCount,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function requestLength(received: string): number | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const length = /content-length: (\d+)/i.exec(received.slice(0, headEnd));
  return headEnd + 4 + Number(length?.[1] ?? 0);
}

/** Head of a streamed 200. */
export const STREAM_HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n';

/** One HTTP chunk. */
export function httpChunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

export const LAST_CHUNK = '0\r\n\r\n';

/** A response with a length. */
export function wholeResponse(
  status: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/**
 * Writes the parts one after the other, each only after the loop had a turn to deliver the one
 * before, so that they arrive in separate reads however busy the machine is.
 */
export function writeApart(socket: Socket, parts: readonly string[]): void {
  const [part, ...rest] = parts;
  if (part === undefined || socket.destroyed) return;
  socket.setNoDelay(true);
  socket.write(part, () => {
    setTimeout(() => writeApart(socket, rest), 10);
  });
}
