/**
 * A server that only streams: no HTTP parser, no encoder, the same bytes for every token, one write
 * per token and stream. Every stream emits each 40 ms; their phases are spread evenly. It logs when
 * each chunk was handed to the socket.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createChatEncoder } from '../../src/wire/index.ts';
import { monotonicNs } from './monotonic.ts';
import { CHUNK_INTERVAL_MS, type SseServerAnswer, type SseServerQuestion } from './sse-protocol.ts';
import { answerParent } from './worker-process.ts';

const HEAD = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
);
const CHUNK = chunkOf(
  createChatEncoder({
    id: 'chatcmpl-0123456789abcdef0123456789abcdef',
    createdSeconds: 1_700_000_000,
    model: 'some-provider/some-model-70b-instruct',
  }).output('answer', ' word', {
    promptTokens: 1_024,
    completionTokens: 100,
    reasoningTokens: null,
    cachedPromptTokens: null,
  }),
);

function chunkOf(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}

interface Stream {
  readonly socket: Socket;
  readonly sentNs: number[];
}

const phases: Set<Stream>[] = Array.from({ length: CHUNK_INTERVAL_MS }, () => new Set());
let sendTimes = new Map<string, readonly number[]>();
let accepted = 0;

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  let head = '';
  socket.on('data', (bytes) => {
    head += bytes.toString('latin1');
    const requestId = /\r\nx-request-id: (.+?)\r\n/i.exec(head)?.[1];
    if (requestId === undefined || !head.includes('\r\n\r\n')) return;
    head = '';
    socket.removeAllListeners('data').resume();
    const stream: Stream = { socket, sentNs: [] };
    sendTimes.set(requestId, stream.sentNs);
    socket.write(HEAD);
    const phase = phases[accepted % CHUNK_INTERVAL_MS] as Set<Stream>;
    accepted += 1;
    phase.add(stream);
    socket.on('close', () => phase.delete(stream));
  });
});

function emit({ socket, sentNs }: Stream): void {
  sentNs.push(monotonicNs());
  socket.write(CHUNK);
}

let tick = 0;
const startMs = performance.now();
setInterval(() => {
  for (const dueTick = performance.now() - startMs; tick < dueTick; tick += 1) {
    for (const stream of phases[tick % CHUNK_INTERVAL_MS] as Set<Stream>) emit(stream);
  }
}, 1);

answerParent(async ({ kind }: SseServerQuestion): Promise<SseServerAnswer> => {
  if (kind === 'takeSendTimes') {
    const sentNs = sendTimes;
    sendTimes = new Map();
    return { kind: 'sendTimes', sentNs };
  }
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4_096 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const layout = { port, headBytes: HEAD.length, chunkBytes: CHUNK.length };
  return { kind: 'started', layout };
});
