/**
 * A server that only streams: no HTTP parser, no encoder, one write per token and stream. Chunks are
 * of equal length, and differ in their text and running total as those of a real server do. It logs
 * when each chunk was handed to the socket.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { createChatEncoder } from '../../src/wire/index.ts';
import { monotonicNs } from '../../src/host/index.ts';
import type {
  Pace,
  ServerCertificate,
  SseServerAnswer,
  SseServerQuestion,
  StreamLayout,
} from './sse-protocol.ts';
import { answerParent } from './worker-process.ts';

const HEAD = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
);
const WORDS = [' word', ' text', ' more', ' mind', ' tell', ' once', ' over'];
const encoder = createChatEncoder({
  id: 'chatcmpl-0123456789abcdef0123456789abcdef',
  createdSeconds: 1_700_000_000,
  model: 'some-provider/some-model-70b-instruct',
});
const CHUNKS = Array.from({ length: 900 }, (_, index) =>
  chunkOf(
    encoder.output('answer', WORDS[index % WORDS.length] as string, {
      promptTokens: 1_024,
      completionTokens: 100 + index,
      reasoningTokens: null,
      cachedPromptTokens: null,
    }),
  ),
);

function chunkOf(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}

interface Stream {
  readonly socket: Socket;
  readonly sentNs: number[];
}

let pace: Pace = { intervalMs: 40, burst: false };
let phases: Set<Stream>[] = [];
let sendTimes = new Map<string, readonly number[]>();
let accepted = 0;

function onConnection(socket: Socket): void {
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
    const phase = phases[pace.burst ? 0 : accepted % phases.length] as Set<Stream>;
    accepted += 1;
    phase.add(stream);
    socket.on('close', () => phase.delete(stream));
  });
}

function emit({ socket, sentNs }: Stream): void {
  const chunk = CHUNKS[sentNs.length % CHUNKS.length] as Buffer;
  sentNs.push(monotonicNs());
  socket.write(chunk);
}

let tick = 0;
const startMs = performance.now();
setInterval(() => {
  for (const dueTick = performance.now() - startMs; tick < dueTick; tick += 1) {
    for (const stream of phases[tick % pace.intervalMs] ?? []) emit(stream);
  }
}, 1);

async function listen(server: Server): Promise<number> {
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4_096 });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function start(tls: ServerCertificate | null): Promise<StreamLayout> {
  const port = await listen(createServer({ noDelay: true }, onConnection));
  const tlsPort =
    tls === null
      ? null
      : await listen(createTlsServer({ ...tls, noDelay: true } as ServerCertificate, onConnection));
  const [chunk] = CHUNKS as [Buffer];
  return { port, tlsPort, headBytes: HEAD.length, chunkBytes: chunk.length };
}

answerParent(async (question: SseServerQuestion): Promise<SseServerAnswer> => {
  switch (question.kind) {
    case 'start':
      return { kind: 'started', layout: await start(question.tls) };
    case 'pace':
      pace = question;
      phases = Array.from({ length: pace.intervalMs }, () => new Set());
      return { kind: 'paced' };
    case 'takeSendTimes':
      return { kind: 'sendTimes', sentNs: takeSendTimes() };
    default:
      throw new Error('not a question');
  }
});

function takeSendTimes(): typeof sendTimes {
  const taken = sendTimes;
  sendTimes = new Map();
  return taken;
}
