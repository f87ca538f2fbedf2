/** The least a program can do to receive a stream: a socket read into a buffer all sockets share. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

const SHARED_BUFFER = Buffer.allocUnsafe(65_536);

/**
 * Opens a connection, over TLS with a `ca`, and sends `request` in one write; `onRead` hears how many
 * bytes came.
 */
export async function openRawStream(
  port: number,
  request: string,
  onRead: (byteCount: number, bytes: Uint8Array) => void,
  ca: string | null = null,
): Promise<Socket> {
  const options = {
    host: '127.0.0.1',
    port,
    noDelay: true,
    onread: {
      buffer: SHARED_BUFFER,
      callback: (byteCount: number, bytes: Uint8Array): boolean => {
        onRead(byteCount, bytes);
        return true;
      },
    },
  };
  // The types of `tls.connect` leave `onread` out.
  const socket = ca === null ? connect(options) : connectTls({ ...(options as object), ca });
  await once(socket, ca === null ? 'connect' : 'secureConnect');
  socket.write(request);
  return socket;
}

/** A POST with a JSON body, as text. */
export function postRequest(path: string, requestId: string, body: object): string {
  const json = JSON.stringify(body);
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    `x-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
  );
}
