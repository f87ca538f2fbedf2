/** The port that every transport serves: connections that carry one request at a time. */
import type { Clock } from '../base/index.ts';
import type { FailureClass } from '../record/index.ts';
import type { OpenedSocket, SocketOptions } from './open-socket.ts';
import type { ConnectionOpenings } from './opening-tally.ts';
import type { ResponseHeaders } from './response-head.ts';

/**
 * `fast`: this room's own reader of HTTP/1.1 on bare sockets. `compat`: undici, which has met more
 * servers, and speaks HTTP/2.
 */
export type TransportName = 'fast' | 'compat';

export const TRANSPORT_NAMES: readonly TransportName[] = ['fast', 'compat'];

/** A request as it is written. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  /** Lower-case names; without `host`, `connection` and `content-length`. */
  readonly headers: Readonly<Record<string, string>>;
  /** `null` for none. */
  readonly body: string | null;
}

/** Why a response did not end as it should. */
export type TransportFault =
  /** The connection was lost inside the body. */
  | { readonly kind: 'cut' }
  | {
      readonly kind: 'failed';
      readonly failure: FailureClass;
      /** TCP was ready by then, when no connection was had; else `null`. */
      readonly connectedNs: number | null;
      readonly cause: Error;
    };

/**
 * Hears of one response: perhaps `onWritten`, perhaps `onHead` once, any number of `onBody`, and
 * `onEnd` or `onFault` once. Instants are stamps of socket reads, taken before anything is parsed.
 */
export interface ResponseHandler {
  /** Head and body were handed to the socket. */
  onWritten(atNs: number): void;
  /** Of the final response: interim ones (1xx) are not told. */
  onHead(status: number, headers: ResponseHeaders): void;
  /** The bytes `from` … `to`, good until this returns: the memory is read into again. */
  onBody(memory: Buffer, from: number, to: number, atNs: number, readId: number): void;
  /** The body is whole. */
  onEnd(atNs: number): void;
  onFault(fault: TransportFault): void;
}

/** Carries one request at a time. */
export interface Connection {
  /** Facts of the socket that carries the request; `null` before there is one. */
  readonly opened: Pick<OpenedSocket, 'connectedNs' | 'tlsDoneNs' | 'peer'> | null;
  /** First read of the current response; `null` before it. */
  readonly firstReadNs: number | null;
  /** Whether another request may be sent over it. */
  readonly usable: boolean;
  dispatch(request: HttpRequest, handler: ResponseHandler): void;
  /** Ends it at once: a response that it is reading is lost. */
  destroy(): void;
}

/** Where connections come from. */
export interface ConnectionSource {
  /** Connections opened so far. */
  readonly openings: ConnectionOpenings;
  /** One that no other request uses. There is no ceiling here: the load generator has one. */
  acquire(): Connection;
  /** Gives it back; `reusable` when its response was read to the end. */
  release(connection: Connection, reusable: boolean): void;
  /**
   * Opens connections for so many requests at once ahead of the load, so that names and handshakes
   * are not part of it. Returns how many opened: a target that refuses shows in the requests.
   */
  warm(count: number): Promise<number>;
  close(): void;
}

export interface ConnectionOptions extends SocketOptions {
  readonly clock: Clock;
  /** Close a connection unused for this long, before the server does. */
  readonly idleConnectionNs: number;
}
