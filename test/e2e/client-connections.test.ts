/** How connections are had: TLS with certificates, Unix sockets, IPv6, addresses in turn, HTTP/2. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { createRealClock, NS_PER_SECOND } from '../../src/base/index.ts';
import { TRANSPORT_NAMES } from '../../src/client/index.ts';
import { Addresses } from '../../src/client/addresses.ts';
import { openConnections } from '../../src/client/open-connections.ts';
import { targetOf } from '../../src/client/target.ts';
import { makeCertificates } from '../support/certificates.ts';
import { LAST_CHUNK, STREAM_HEAD, httpChunk } from '../support/hostile-server.ts';
import { clientFor, failureOf, requestOf, sendOnce } from '../support/http-client-harness.ts';
import { sse } from '../support/wire-reading.ts';

const EVENTS = [sse.content('a'), sse.finish(), sse.done()];
const ANSWER = STREAM_HEAD + EVENTS.map(httpChunk).join('') + LAST_CHUNK;
const never = new AbortController().signal;

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const item of open.splice(0)) item.close();
});

/** Answers every request well, and counts connections. */
function answering(server: Server): { readonly server: Server; readonly count: () => number } {
  let count = 0;
  server.on(
    server instanceof Object && 'setSecureContext' in server ? 'secureConnection' : 'connection',
    (socket) => {
      count += 1;
      socket.on('error', () => {});
      socket.on('data', () => socket.write(ANSWER));
    },
  );
  server.on('tlsClientError', () => {});
  open.push(server);
  return { server, count: () => count };
}

async function listen(server: Server, where: object): Promise<number> {
  await new Promise<void>((resolve) => server.listen(where, resolve));
  const address = server.address() as AddressInfo | string;
  return typeof address === 'string' ? 0 : address.port;
}

describe.each(TRANSPORT_NAMES)('%s', (transport) => {
  test('a Unix socket stands in for the host of the URL', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'goodput-unix-'));
    open.push({ close: () => rmSync(folder, { recursive: true }) });
    const unixSocket = join(folder, 'server.sock');
    await listen(answering(createServer()).server, { path: unixSocket });
    const result = await sendOnce('http://model.example', { unixSocket, transport });
    expect(result.end.kind).toBe('completed');
    expect(result.timeline.peer).toBe(unixSocket);
  });

  const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ address }) => address === '::1'),
  );
  test.skipIf(!hasIpv6)('an IPv6 address', async () => {
    const port = await listen(answering(createServer()).server, { host: '::1', port: 0 });
    const result = await sendOnce(`http://[::1]:${port}`, { transport });
    expect(result.end.kind).toBe('completed');
    expect(result.timeline.peer).toBe(`[::1]:${port}`);
  });

  test('connections go to the addresses of a name in turn, past one that refuses', async () => {
    const first = answering(createServer());
    const port = await listen(first.server, { host: '127.0.0.1', port: 0 });
    const second = answering(createServer());
    await listen(second.server, { host: '127.0.0.2', port });
    let lookups = 0;
    const addresses = new Addresses('model.example', () => {
      lookups += 1;
      return Promise.resolve(['127.0.0.3', '127.0.0.1', '127.0.0.2']);
    });
    const pool = openConnections(transport, {
      target: targetOf(`http://model.example:${port}`),
      addresses,
      clock: createRealClock(),
      connectTimeoutNs: 5 * NS_PER_SECOND,
      idleConnectionNs: NS_PER_SECOND,
      ca: null,
      clientCertificate: null,
      proxy: null,
      unixSocket: null,
      alpn: 'http/1.1',
    });
    open.push(pool);
    for (let each = 0; each < 8; each += 1) expect(await pool.warm(1)).toBe(1);
    expect(lookups).toBe(1);
    expect(first.count() + second.count()).toBe(8);
    expect(Math.min(first.count(), second.count())).toBeGreaterThanOrEqual(3);
  });
});

const made = makeCertificates();
describe.skipIf(made === null)('TLS (needs openssl to make certificates)', () => {
  const { server: own, client } = made as NonNullable<typeof made>;

  test.each(TRANSPORT_NAMES)(
    '%s shows its certificate to a server that asks',
    async (transport) => {
      const server = createTlsServer({ ...own, ca: client.cert, requestCert: true });
      const port = await listen(answering(server).server, { host: '127.0.0.1', port: 0 });
      const url = `https://127.0.0.1:${port}`;
      const shown = await sendOnce(url, { ca: own.cert, clientCertificate: client, transport });
      expect(shown.end.kind).toBe('completed');
      expect(JSON.stringify(shown)).not.toContain('PRIVATE KEY');
      const bare = await sendOnce(url, { ca: own.cert, transport });
      expect(['socket', 'tls']).toContain(failureOf(bare));
    },
  );

  test.each(TRANSPORT_NAMES)('%s refuses a certificate of another name', async (transport) => {
    const port = await listen(answering(createTlsServer(own)).server, {
      host: '127.0.0.2',
      port: 0,
    });
    const result = await sendOnce(`https://127.0.0.2:${port}`, { ca: own.cert, transport });
    expect(failureOf(result)).toBe('tls');
  });

  test('a key that does not fit fails the connection, and is not told', async () => {
    const port = await listen(answering(createTlsServer(own)).server, {
      host: '127.0.0.1',
      port: 0,
    });
    const clientCertificate = { cert: client.cert, key: own.key };
    const result = await sendOnce(`https://127.0.0.1:${port}`, { ca: own.cert, clientCertificate });
    expect(failureOf(result)).toBe('connect');
    expect(JSON.stringify(result)).not.toContain('PRIVATE KEY');
  });

  test('HTTP/2: requests share a connection, and one given up leaves the others', async () => {
    const server = createSecureServer(own);
    let sessions = 0;
    server.on('session', () => {
      sessions += 1;
    });
    server.on('stream', (stream, headers) => {
      stream.on('error', () => {});
      stream.respond({ ':status': 200, 'content-type': 'text/event-stream' });
      if (headers['x-silent'] === undefined) stream.end(EVENTS.join(''));
    });
    open.push(server);
    const port = await listen(server, { host: '127.0.0.1', port: 0 });
    const clock = createRealClock();
    const sender = clientFor(`https://127.0.0.1:${port}`, { clock, ca: own.cert, http2: true });
    open.push(sender);
    expect(await sender.warm(50)).toBe(1);
    const stop = new AbortController();
    const silent = sender.send(requestOf(clock, { headers: { 'x-silent': '1' } }), stop.signal);
    const results = await Promise.all(
      Array.from({ length: 20 }, () => sender.send(requestOf(clock), never)),
    );
    stop.abort();
    expect((await silent).end.kind).toBe('cancelled');
    for (const { end, timeline } of results) {
      expect(end.kind).toBe('completed');
      expect(timeline.reused).toBe(true);
    }
    expect((await sender.send(requestOf(clock), never)).end.kind).toBe('completed');
    expect(sessions).toBe(1);
    expect(sender.connectionsOpened).toBe(1);
  });

  test('HTTP/2: what is lost with its connection has failed, and is not sent again', async () => {
    const server = createSecureServer(own);
    let requests = 0;
    server.on('stream', (stream) => {
      stream.on('error', () => {});
      requests += 1;
      if (requests === 3) stream.session?.goaway(0);
    });
    open.push(server);
    const port = await listen(server, { host: '127.0.0.1', port: 0 });
    const clock = createRealClock();
    const sender = clientFor(`https://127.0.0.1:${port}`, { clock, ca: own.cert, http2: true });
    open.push(sender);
    await sender.warm(1);
    const results = await Promise.all(
      [1, 2, 3].map(() => sender.send(requestOf(clock, { timeoutNs: 5 * NS_PER_SECOND }), never)),
    );
    expect(results.map(failureOf)).toEqual(['socket', 'socket', 'socket']);
    expect(requests).toBe(3);
  });

  test('HTTP/2 is not pretended: a server without it fails in the handshake', async () => {
    const port = await listen(
      answering(createTlsServer({ ...own, ALPNProtocols: ['http/1.1'] })).server,
      {
        host: '127.0.0.1',
        port: 0,
      },
    );
    const result = await sendOnce(`https://127.0.0.1:${port}`, { ca: own.cert, http2: true });
    expect(failureOf(result)).toBe('tls');
  });
});
