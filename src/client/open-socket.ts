/** Opens one TCP or TLS connection, and says which step failed. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, rootCertificates } from 'node:tls';
import { Client } from 'undici';
import type { Clock } from '../base/index.ts';
import type { Target } from './target.ts';

/** The steps before a request can be written. */
export type ConnectFailure = 'dns' | 'connect' | 'connectTimeout' | 'tls';

/** No connection was had. Carries how far it came; the message never holds secrets. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly failure: ConnectFailure;
  /** TCP was ready by then, when the fault came later. */
  readonly connectedNs: number | null;

  constructor(failure: ConnectFailure, connectedNs: number | null, cause: unknown) {
    super(`${failure} failed`, { cause });
    this.failure = failure;
    this.connectedNs = connectedNs;
  }
}

/** A connection ready for a request. */
export interface OpenedSocket {
  readonly socket: Socket;
  readonly connectedNs: number;
  readonly tlsDoneNs: number | null;
  /** `address:port`. Through a proxy, the proxy's. */
  readonly peer: string | null;
}

export interface SocketOptions {
  readonly target: Target;
  readonly clock: Clock;
  readonly connectTimeoutNs: number;
  /** PEM certificates trusted besides the built-in ones. */
  readonly ca: string | null;
  /** `http://[user:password@]host:port`, used as a tunnel. */
  readonly proxy: URL | null;
}

/** Node's default of 250 ms per address calls a distant host unreachable. */
const ADDRESS_ATTEMPT_MS = 2_000;
const KEEP_ALIVE_PROBE_MS = 60_000;

/**
 * Errors: ConnectError. `signal` gives the attempt up.
 */
export async function openSocket(
  options: SocketOptions,
  signal: AbortSignal,
): Promise<OpenedSocket> {
  const attempt = new Attempt(options, signal);
  try {
    return await attempt.open();
  } catch (cause) {
    throw attempt.errorOf(cause);
  } finally {
    attempt.settle();
  }
}

class Attempt {
  readonly #options: SocketOptions;
  readonly #stop = new AbortController();
  readonly #disarm: () => void;
  readonly #runSignal: AbortSignal;
  readonly #onRunAbort = (): void => this.#stop.abort();
  #timedOut = false;
  #connectedNs: number | null = null;

  constructor(options: SocketOptions, signal: AbortSignal) {
    this.#options = options;
    this.#runSignal = signal;
    const { clock, connectTimeoutNs } = options;
    this.#disarm = clock.at(clock.nowNs() + connectTimeoutNs, () => {
      this.#timedOut = true;
      this.#stop.abort();
    });
    signal.addEventListener('abort', this.#onRunAbort);
    if (signal.aborted) this.#stop.abort();
  }

  settle(): void {
    this.#disarm();
    this.#runSignal.removeEventListener('abort', this.#onRunAbort);
  }

  errorOf(cause: unknown): ConnectError {
    const { syscall, code } = cause as NodeJS.ErrnoException;
    const step = this.#connectedNs !== null ? 'tls' : syscall === 'getaddrinfo' ? 'dns' : 'connect';
    const timedOut = this.#timedOut || (step === 'connect' && code === 'ETIMEDOUT');
    return new ConnectError(timedOut ? 'connectTimeout' : step, this.#connectedNs, cause);
  }

  async open(): Promise<OpenedSocket> {
    const { target, proxy, clock } = this.#options;
    const tunnel = proxy === null ? null : await this.#openTunnel(proxy);
    if (tunnel !== null) this.#connectedNs = clock.nowNs();
    const socket =
      tunnel !== null && !target.tls ? tunnel : await this.#ready(this.#start(tunnel), tunnel);
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
    return {
      socket,
      connectedNs: this.#connectedNs as number,
      tlsDoneNs: target.tls ? clock.nowNs() : null,
      peer: peerOf(tunnel ?? socket),
    };
  }

  #start(tunnel: Socket | null): Socket {
    const { target, ca } = this.#options;
    const { host, port } = target;
    const address = {
      host,
      port,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    };
    if (!target.tls) return connectTcp(address);
    return connectTls({
      ...address,
      ALPNProtocols: ['http/1.1'],
      ...(isIP(host) === 0 ? { servername: host } : {}),
      // Node's `ca` replaces the built-in ones; the user's is trusted as well.
      ...(ca === null ? {} : { ca: [...rootCertificates, ca] }),
      ...(tunnel === null ? {} : { socket: tunnel }),
    });
  }

  #ready(socket: Socket, tunnel: Socket | null): Promise<Socket> {
    const { target, clock } = this.#options;
    const signal = this.#stop.signal;
    return new Promise((resolve, reject) => {
      const giveUp = (cause: unknown): void => {
        signal.removeEventListener('abort', giveUp);
        socket.destroy();
        reject(cause instanceof Error ? cause : new Error('connection closed'));
      };
      const done = (): void => {
        signal.removeEventListener('abort', giveUp);
        socket.off('error', giveUp).off('close', giveUp);
        resolve(socket);
      };
      socket.once('error', giveUp).once('close', giveUp);
      signal.addEventListener('abort', giveUp);
      if (signal.aborted) giveUp(null);
      if (tunnel === null) {
        socket.once('connect', () => {
          this.#connectedNs = clock.nowNs();
        });
      }
      socket.once(target.tls ? 'secureConnect' : 'connect', done);
    });
  }

  /** A tunnel through an HTTP proxy, for http and https targets alike. */
  async #openTunnel(proxy: URL): Promise<Socket> {
    const { host, port } = this.#options.target;
    const client = new Client(proxy.origin, { headersTimeout: 0, bodyTimeout: 0 });
    const { username, password } = proxy;
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    try {
      const reply = await client.connect({
        path: `${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
        signal: this.#stop.signal,
        headers:
          username === ''
            ? {}
            : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` },
      });
      const socket = reply.socket as Socket;
      if (reply.statusCode === 200) return socket;
      socket.destroy();
      throw new Error(`the proxy answered ${reply.statusCode}`);
    } finally {
      void client.destroy();
    }
  }
}

function peerOf(socket: Socket): string | null {
  const { remoteAddress, remotePort } = socket;
  if (remoteAddress === undefined || remotePort === undefined) return null;
  return `${isIP(remoteAddress) === 6 ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
}
