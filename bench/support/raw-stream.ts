/** The least a program can do to receive a stream: a socket read into a buffer all sockets share. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const SHARED_BUFFER = Buffer.allocUnsafe(65_536);

/** Opens a connection and sends `request` in one write; `onRead` hears how many bytes came. */
export async function openRawStream(
  port: number,
  request: string,
  onRead: (byteCount: number, bytes: Uint8Array) => void,
): Promise<Socket> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    onread: {
      buffer: SHARED_BUFFER,
      callback: (byteCount, bytes) => {
        onRead(byteCount, bytes);
        return true;
      },
    },
  });
  await once(socket, 'connect');
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
