/**
 * A server that answers every request at once with one short stream: no HTTP parser, no encoder, one
 * write. Listens on a port of the system's choosing and says which.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createChatEncoder } from '../../src/wire/index.ts';
import { answerParent } from './worker-process.ts';

const USAGE = {
  promptTokens: 16,
  completionTokens: 1,
  reasoningTokens: null,
  cachedPromptTokens: null,
};
const encoder = createChatEncoder({
  id: 'chatcmpl-0123456789abcdef0123456789abcdef',
  createdSeconds: 1_700_000_000,
  model: 'm',
});
const END = encoder.end({ finishReason: 'stop', runningUsage: null, usage: USAGE });
const EVENTS = `${encoder.open()}${encoder.output('answer', ' word', USAGE)}${END.finish}${END.rest}`;
const ANSWER = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${Buffer.byteLength(EVENTS)}\r\n\r\n${EVENTS}`,
);

function onConnection(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
    for (;;) {
      const head = text.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
      if (text.length < head + 4 + length) return;
      text = text.slice(head + 4 + length);
      socket.write(ANSWER);
    }
  });
}

answerParent(async (): Promise<number> => {
  const server = createServer({ noDelay: true }, onConnection);
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4_096 });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
});
