/** Four ways to receive many streams at once, all answering with a stamp per chunk. */
import type { Socket } from 'node:net';
import { Client } from 'undici';
import { createRealClock, NS_PER_SECOND } from '../../src/base/index.ts';
import type { TransportName } from '../../src/client/index.ts';
import { monotonicNs, offsetOf } from '../../src/host/index.ts';
import { chatClient } from './chat-client.ts';
import { openRawStream, postRequest } from './raw-stream.ts';
import type { StreamLayout } from './sse-protocol.ts';

/** By request id: instants of its chunks, in order, on the monotonic clock. */
export type ChunkTimes = Map<string, readonly number[]>;

export interface OpenStreams {
  /** Closes all streams. */
  stop(): Promise<ChunkTimes>;
}

export type ReaderName = 'net' | 'undici' | 'fast' | 'compat';

/** Where to read from. */
export interface StreamSource {
  readonly layout: StreamLayout;
  /** PEM to trust; `null` without TLS. */
  readonly ca: string | null;
}

type StreamReader = (source: StreamSource, requestIds: readonly string[]) => Promise<OpenStreams>;

/**
 * `net` only reads the sockets; `undici` parses HTTP and looks at nothing; `fast` and `compat` are the
 * client of this repository with everything it does for a load test, over either transport.
 */
export const STREAM_READERS: Readonly<Record<ReaderName, StreamReader>> = {
  net: readWithNet,
  undici: readWithUndici,
  fast: (source, ids) => readWithGoodput(source, ids, 'fast'),
  compat: (source, ids) => readWithGoodput(source, ids, 'compat'),
};

const BODY = { model: 'm', messages: [{ role: 'user', content: 'go on' }], stream: true };
const PATH = '/v1/chat/completions';

function portOf({ layout, ca }: StreamSource): number {
  if (ca === null) return layout.port;
  if (layout.tlsPort === null) throw new Error('the server has no certificate');
  return layout.tlsPort;
}

function originOf(source: StreamSource): string {
  return `${source.ca === null ? 'http' : 'https'}://127.0.0.1:${portOf(source)}`;
}

/** Stamps every chunk that is complete after `byteCount` bytes more. */
function chunkStamper(chunkBytes: number, skipBytes: number, stamps: number[]) {
  let bytes = -skipBytes;
  return (byteCount: number): void => {
    bytes += byteCount;
    const atNs = monotonicNs();
    while ((stamps.length + 1) * chunkBytes <= bytes) stamps.push(atNs);
  };
}

async function readWithNet(
  { layout, ca }: StreamSource,
  requestIds: readonly string[],
): Promise<OpenStreams> {
  const { headBytes, chunkBytes } = layout;
  const times = new Map<string, number[]>();
  const sockets: Socket[] = [];
  for (const id of requestIds) {
    const stamps: number[] = [];
    times.set(id, stamps);
    const onRead = chunkStamper(chunkBytes, headBytes, stamps);
    sockets.push(
      await openRawStream(portOf({ layout, ca }), postRequest(PATH, id, BODY), onRead, ca),
    );
  }
  return {
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return Promise.resolve(times);
    },
  };
}

async function readWithUndici(
  { layout, ca }: StreamSource,
  requestIds: readonly string[],
): Promise<OpenStreams> {
  const times = new Map<string, number[]>();
  const { chunkBytes } = layout;
  // The handler sees bodies without their framing: a size line and a line end.
  const framingBytes = 4 + (chunkBytes - 4).toString(16).length;
  const begun: Promise<void>[] = [];
  const clients = requestIds.map((id) => {
    const stamps: number[] = [];
    times.set(id, stamps);
    const onRead = chunkStamper(chunkBytes - framingBytes, 0, stamps);
    const client = new Client(originOf({ layout, ca }), {
      bodyTimeout: 0,
      headersTimeout: 0,
      connect: { timeout: 60_000, ...(ca === null ? {} : { ca }) },
    });
    begun.push(beginWithUndici(client, id, onRead));
    return client;
  });
  // Handshakes of hundreds of streams take longer than any warm-up.
  await Promise.all(begun);
  return {
    stop: async () => {
      await Promise.all(clients.map((client) => client.destroy()));
      return times;
    },
  };
}

/** Resolves once the answer begins. */
function beginWithUndici(
  client: Client,
  requestId: string,
  onRead: (byteCount: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    client.dispatch(
      {
        method: 'POST',
        path: PATH,
        headers: { 'content-type': 'application/json', 'x-request-id': requestId },
        body: JSON.stringify(BODY),
      },
      {
        onRequestStart: () => {},
        onResponseStart: () => resolve(),
        onResponseData: (_controller, bytes) => onRead(bytes.length),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

async function readWithGoodput(
  source: StreamSource,
  requestIds: readonly string[],
  transport: TransportName,
): Promise<OpenStreams> {
  const clock = createRealClock();
  const { offsetNs } = offsetOf(clock);
  const client = chatClient(originOf(source), clock, { transport, ca: source.ca });
  await client.warm(requestIds.length);
  const stop = new AbortController();
  const answers = requestIds.map(async (requestId) => {
    const { timeline } = await client.send(
      {
        requestId,
        body: BODY,
        headers: {},
        streamed: true,
        deadlineNs: clock.nowNs() + 600 * NS_PER_SECOND,
        traceId: null,
      },
      stop.signal,
    );
    return [requestId, timeline.output.atNs.map((atNs) => atNs + offsetNs)] as const;
  });
  return {
    stop: async () => {
      stop.abort();
      const times: ChunkTimes = new Map(await Promise.all(answers));
      client.close();
      return times;
    },
  };
}
