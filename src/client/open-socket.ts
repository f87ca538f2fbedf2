/** Opens one TCP or TLS connection, and says which step failed. */
import {
  connect as connectTcp,
  isIP,
  type IpcNetConnectOpts,
  type Socket,
  type TcpNetConnectOpts,
} from 'node:net';
import { connect as connectTls, rootCertificates, type ConnectionOptions } from 'node:tls';
import { Client } from 'undici';
import { NS_PER_SECOND, type Clock } from '../base/index.ts';
import type { Addresses } from './addresses.ts';
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

/** A certificate of ours, for servers that want to know their clients. */
export interface ClientCertificate {
  /** PEM, with the certificates that lead to a known authority. */
  readonly cert: string;
  /** PEM, the certificate's private key. */
  readonly key: string;
}

export interface SocketOptions {
  readonly target: Target;
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly connectTimeoutNs: number;
  /** PEM certificates trusted besides the built-in ones. */
  readonly ca: string | null;
  readonly clientCertificate: ClientCertificate | null;
  /** `http://[user:password@]host:port`, used as a tunnel. */
  readonly proxy: URL | null;
  /** A Unix socket to connect to, whatever the target's host is. */
  readonly unixSocket: string | null;
  /** What is spoken inside TLS. */
  readonly alpn: 'http/1.1' | 'h2';
}

/** Takes the `length` bytes that one read of the socket brought. The memory is read into again afterwards. */
export type TakeRead = (memory: Buffer, length: number) => void;

/** One address of several gets this long; the last one has what is left. */
const ADDRESS_ATTEMPT_NS = 2 * NS_PER_SECOND;
const KEEP_ALIVE_PROBE_MS = 60_000;

/** All sockets read into this memory, one after the other: no read makes garbage. */
const READ_MEMORY = Buffer.allocUnsafeSlow(65_536);

/**
 * With `takeRead` each read goes there, past the socket's own stream; else the stream has it.
 *
 * Errors: ConnectError. `signal` gives the attempt up.
 */
export async function openSocket(
  options: SocketOptions,
  signal: AbortSignal,
  takeRead: TakeRead | null = null,
): Promise<OpenedSocket> {
  const attempt = new Attempt(options, signal, takeRead);
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
  readonly #takeRead: TakeRead | null;
  #timedOut = false;
  #connectedNs: number | null = null;

  constructor(options: SocketOptions, signal: AbortSignal, takeRead: TakeRead | null) {
    this.#options = options;
    this.#takeRead = takeRead;
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
    const socket = tunnel === null ? await this.#openDirect() : await this.#openThrough(tunnel);
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
    return {
      socket,
      connectedNs: this.#connectedNs as number,
      tlsDoneNs: target.tls ? clock.nowNs() : null,
      peer: this.#options.unixSocket ?? peerOf(tunnel ?? socket),
    };
  }

  /** The addresses one after the other, until one takes the connection. */
  async #openDirect(): Promise<Socket> {
    const { addresses, target, unixSocket } = this.#options;
    if (unixSocket !== null) return this.#ready(this.#start({ path: unixSocket }), true);
    const inTurn = await this.#unlessStopped(addresses.inTurn());
    const last = inTurn.at(-1);
    for (const address of inTurn) {
      const socket = this.#start({ host: address, port: target.port });
      try {
        await this.#ready(socket, true, address === last ? null : ADDRESS_ATTEMPT_NS);
        addresses.took(address);
        return socket;
      } catch (error) {
        // A server that was reached has given its answer.
        if (this.#connectedNs !== null || this.#stop.signal.aborted || address === last)
          throw error;
        addresses.refused(address);
      }
    }
    throw new Error('the name has no address');
  }

  async #openThrough(tunnel: Socket): Promise<Socket> {
    const socket = this.#options.target.tls
      ? await this.#ready(connectTls({ ...this.#tlsOptions(), socket: tunnel }), false)
      : tunnel;
    // Memory of our own cannot be given to a socket that exists: its stream's is as good.
    const take = this.#takeRead;
    if (take !== null) socket.on('data', (bytes: Buffer) => take(bytes, bytes.length));
    return socket;
  }

  #start(
    address: { readonly path: string } | { readonly host: string; readonly port: number },
  ): Socket {
    const take = this.#takeRead;
    const options: TcpNetConnectOpts | IpcNetConnectOpts = {
      ...address,
      ...(take === null
        ? {}
        : {
            onread: {
              buffer: READ_MEMORY,
              callback: (length: number) => {
                take(READ_MEMORY, length);
                return true;
              },
            },
          }),
    };
    // The types of `tls.connect` leave `onread` out; its documentation has it since Node 14.
    return this.#options.target.tls
      ? connectTls({ ...(options as object), ...this.#tlsOptions() })
      : connectTcp(options);
  }

  #tlsOptions(): ConnectionOptions {
    const { target, ca, clientCertificate, alpn } = this.#options;
    return {
      ALPNProtocols: [alpn],
      // Checked against the name, though the connection goes to an address.
      ...(isIP(target.host) === 0 ? { servername: target.host } : { host: target.host }),
      // Node's `ca` replaces the built-in ones; the user's is trusted as well.
      ...(ca === null ? {} : { ca: [...rootCertificates, ca] }),
      ...clientCertificate,
    };
  }

  /** Waits until TCP, and TLS where there is some, is ready; `limitNs` bounds the former. */
  #ready(socket: Socket, startsTcp: boolean, limitNs: number | null = null): Promise<Socket> {
    const { target, clock } = this.#options;
    const signal = this.#stop.signal;
    return new Promise((resolve, reject) => {
      const disarm =
        limitNs === null
          ? () => {}
          : clock.at(clock.nowNs() + limitNs, () => giveUp(new Error('no answer in time')));
      const settle = (): void => {
        disarm();
        signal.removeEventListener('abort', giveUp);
        socket.off('close', giveUp);
      };
      const giveUp = (cause: unknown): void => {
        settle();
        socket.destroy();
        reject(cause instanceof Error ? cause : new Error('connection closed'));
      };
      const done = (): void => {
        settle();
        socket.off('error', giveUp);
        resolve(socket);
      };
      socket.once('error', giveUp).once('close', giveUp);
      signal.addEventListener('abort', giveUp);
      if (signal.aborted) giveUp(null);
      if (startsTcp) {
        socket.once('connect', () => {
          disarm();
          this.#connectedNs = clock.nowNs();
        });
      }
      socket.once(target.tls ? 'secureConnect' : 'connect', done);
    });
  }

  /** A lookup cannot be called off: its outcome is ignored then. */
  #unlessStopped<T>(promise: Promise<T>): Promise<T> {
    const signal = this.#stop.signal;
    return new Promise((resolve, reject) => {
      const giveUp = (): void => reject(new Error('given up'));
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) giveUp();
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
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
