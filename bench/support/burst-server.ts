/**
 * The least a program can do in the emulator's place: every 25 ms the same bytes to every stream, one
 * write each, without HTTP, engine, encoder or log. What it costs and how long a burst takes is what
 * the platform costs.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createChatEncoder } from '../../src/wire/index.ts';
import { monotonicNs } from '../../src/host/index.ts';
import { answerParent } from './worker-process.ts';

export const BURST_INTERVAL_MS = 25;

export interface BurstSample {
  readonly port: number;
  readonly cpuUs: number;
  readonly writes: number;
  /** Sum over all writes of the time since their burst began. */
  readonly lateNs: number;
}

const EVENT = createChatEncoder({
  id: 'chatcmpl-stream-500',
  createdSeconds: 1_700_000_000,
  model: 'emulated-70b',
}).output('answer', ' word', {
  promptTokens: 7,
  completionTokens: 100,
  reasoningTokens: null,
  cachedPromptTokens: null,
});
const CHUNK = `${Buffer.byteLength(EVENT).toString(16)}\r\n${EVENT}\r\n`;

const sockets = new Set<Socket>();
let writes = 0;
let lateNs = 0;

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  socket.on('close', () => sockets.delete(socket));
  socket.resume();
  sockets.add(socket);
});

setInterval(() => {
  const burstNs = monotonicNs();
  for (const socket of sockets) {
    lateNs += monotonicNs() - burstNs;
    writes += 1;
    socket.write(CHUNK);
  }
}, BURST_INTERVAL_MS);

answerParent(async (): Promise<BurstSample> => {
  if (!server.listening) {
    server.listen({ host: '127.0.0.1', port: 0, backlog: 4_096 });
    await once(server, 'listening');
  }
  const { user, system } = process.cpuUsage();
  const { port } = server.address() as AddressInfo;
  return { port, cpuUs: user + system, writes, lateNs };
});
